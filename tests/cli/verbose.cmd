# The last line of -v: version, command line, seconds, CPU seconds, memory.
$BONSAI check $HERE/papers -v
$BONSAI check nothing -vq
$BONSAI check --verbose --quiet -- $HERE/papers
