# The tour; figures that rest on the generator are masked, since it may be tuned.
COLUMNS=200 $BONSAI demo | sed '/^Trained on/{:a;/faster/!{N;ba};s/\n/ /g}; 3s,folder: .*,folder: ...,; s/[0-9][0-9,.]*/N/g; s/  *N/ N/g; s/[▏▎▍▌▋▊▉█]*$//; s/ *$//; /accuracy %/s/   */  /g'
$BONSAI demo -o kept > /dev/null && $BONSAI check kept/graph.npz | cut -c 1-20; ls kept
TMPDIR=/nowhere $BONSAI demo
# It cleans up behind itself where it fails.
$BONSAI demo > /dev/full
ls $TMPDIR
