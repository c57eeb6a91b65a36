"""bonsai fetch against a server on this machine that can misbehave.

    python3 fetch.py path/to/bonsai [test ...]

A test is a function whose name is the sentence that it proves.  The published files of Cora and
others are used where they lie beside the repository; tests that need them are else left out.
"""
import fcntl
import json
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

from fetch_data import (PARTS, benchmark_npz, ogb_entries, published, read, saint_files, write,
                        zipped)
from fetch_server import MODIFIED, Server

BONSAI = os.path.abspath(sys.argv[1])
SETS = {"cora": (2708, 10556), "citeseer": (3327, 9104), "pubmed": (19717, 88648)}
ENV = {k: v for k, v in os.environ.items()
       if not k.lower().endswith("_proxy") and k not in ("BONSAI_MIRROR", "SSL_CERT_FILE")}
ENV.update(LC_ALL="C.UTF-8", OMP_WAIT_POLICY="passive", TERM="dumb")


TESTS = {}


class Skip(Exception):
    pass


def test(function):
    TESTS[function.__name__] = function
    return function


# ---- running


def run(*args, url=None, **more):
    command = [BONSAI, "fetch", *args] + (["--base-url", url] if url else [])
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60, check=False,
                          **{"env": ENV, **more})


def sentences(said):
    """The lines but for "NAME: 1.2 s", which a stage prints where it was slow."""
    return [l for l in said.splitlines() if not re.fullmatch(r"[a-z-]+: [0-9.]+ s", l)]


def fetched(*args, **more):
    got = run(*args, "--json", **more)
    assert got.returncode == 0, got.stderr
    return json.loads(got.stdout), "".join(sentences(got.stderr))


def refused(words, *args, code=1, **more):
    """It fails with one sentence that has these words, prints no result and leaves nothing."""
    got = run(*args, **more)
    assert got.returncode == code, (words, got.returncode, got.stderr)
    lines = [l for l in sentences(got.stderr) if not l.startswith(("note: ", "try: "))]
    assert len(lines) == 1 and lines[0].startswith("bonsai: "), got.stderr
    assert words in lines[0], (words, lines[0])
    assert got.stdout == "", got.stdout
    return got.stderr


def names():
    return sorted(os.path.relpath(os.path.join(top, f), "d") for top, _, files in os.walk("d")
                  for f in files)


def info(path):
    got = subprocess.run([BONSAI, "info", path, "--json", "-q"], stdout=subprocess.PIPE, env=ENV,
                         stderr=subprocess.PIPE, timeout=60, check=False)
    assert got.returncode == 0, got.stderr
    return json.loads(got.stdout)


def real(server, name="ind.cora.allx"):
    if name not in server.files:
        raise Skip("the published files are not at hand")
    return server.files[name]


def all_but_allx(server):
    """Everything of Cora but one file, so that a test is about that one."""
    for part in PARTS:
        if part != "allx":
            write("d/ind.cora." + part, real(server, "ind.cora." + part))
    return server.files["ind.cora.allx"]


# ---- the tests


@test
def the_list_names_every_dataset(server):
    rows = json.loads(run("--json").stdout)["datasets"]
    assert len(rows) == 11 and all(r["nodes"] > 0 and r["cite"] and r["from"] for r in rows)
    assert [r["name"] for r in rows if r["verified"]] == list(SETS)
    assert all(r["from"].startswith("https://") for r in rows)


@test
def what_is_published_is_fetched_verified_and_loads(server):
    real(server)
    for name, (nodes, edges) in SETS.items():
        got, said = fetched(name, "--to", "d", url=server.url + "ok")
        assert said == "" and got["verified"] and got["path"] == "d/ind." + name
        assert got["bytes"] == got["bytes_fetched"] == sum(f["bytes"] for f in got["files"])
        assert all(read(f["path"]) == server.files[os.path.basename(f["path"])]
                   for f in got["files"]) and len(got["files"]) == 8
        shape = info(got["path"])
        assert (shape["nodes"], shape["edges"]) == (nodes, edges) == (got["nodes"], got["edges"])
    assert not [n for n in names() if n.endswith(".part")] and len(names()) == 24


@test
def what_is_there_and_right_is_left_alone(server):
    all_but_allx(server)
    write("d/ind.cora.allx", real(server))
    got, said = fetched("Cora", "--to", "d/", url=server.url + "ok")
    assert "nothing was downloaded" in said and got["bytes_fetched"] == 0 and server.log == []
    assert got["path"] == "d/ind.cora"
    got, said = fetched("cora", "--to", "d", "--force", url=server.url + "ok")
    assert len(server.log) == 8 and {f["what"] for f in got["files"]} == {"fetched"}


@test
def a_plan_names_files_and_addresses_and_downloads_nothing(server):
    plan = fetched("ogbn-arxiv", "--to", "d", "--dry-run", url=server.url + "ok")[0]
    assert plan["path"] == "d/ogbn_arxiv" and plan["downloads"] is True, plan
    assert plan["files"] == [{"path": "d/ogbn_arxiv.zip", "url": server.url + "ok/ogbn_arxiv.zip",
                              "bytes": None, "there": False, "sha256": None}], plan
    fetched("ogbn-arxiv", "--to", "d", url=server.url + "ok")
    asked = len(server.log)
    for force in (), ("--force",):
        plan = fetched("ogbn-arxiv", "--to", "d", "--dry-run", *force, url=server.url + "ok")[0]
        assert plan["files"][0]["there"] is not bool(force), plan
    assert run("cora", "--dry-run").stdout.count("raw.githubusercontent.com") == 8
    assert len(server.log) == asked and not os.path.exists("data")


@test
def what_was_downloaded_by_hand_is_verified_and_unpacked(server):
    refused("is missing, and --offline is given: get it from %sok/ogbn_arxiv.zip" % server.url,
            "ogbn-arxiv", "--to", "d", "--offline", url=server.url + "ok")
    write("d/ogbn_arxiv.zip", server.files["ogbn_arxiv.zip"])
    got, said = fetched("ogbn-arxiv", "--to", "d", "--offline", url=server.url + "ok")
    assert got["bytes_fetched"] == 0 and "nothing was downloaded" not in said
    assert info("d/ogbn_arxiv")["nodes"] > 0 and "ogbn_arxiv.zip" not in names()
    write("d/amazon_photo.npz", b"mine")
    said = refused("exists, but is not a .npz", "amazon-photo", "--to", "d", "--offline")
    assert "--force" not in said and server.log == []


@test
def what_is_there_and_wrong_is_not_overwritten(server):
    data = all_but_allx(server)
    write("d/ind.cora.allx", b"x" * len(data))
    refused("exists, but has the SHA-256", "cora", "--to", "d", url=server.url + "ok")
    write("d/ind.cora.allx", b"mine")
    assert "--force" in refused("has 4 bytes and not", "cora", "--to", "d", url=server.url + "ok")
    assert read("d/ind.cora.allx") == b"mine"
    fetched("cora", "--to", "d", "--force", url=server.url + "ok")
    assert read("d/ind.cora.allx") == data


@test
def a_part_is_gone_on_from(server):
    data = all_but_allx(server)
    write("d/ind.cora.allx.part", data[:100000])
    got, _ = fetched("cora", "--to", "d", url=server.url + "ok")
    assert server.log == [("ok", "ind.cora.allx", "bytes=100000-")]
    assert read("d/ind.cora.allx") == data and got["bytes_fetched"] == len(data) - 100000
    assert [f["what"] for f in got["files"] if "allx" in f["path"]] == ["resumed"]


@test
def a_server_that_knows_no_ranges_starts_again(server):
    data = all_but_allx(server)
    write("d/ind.cora.allx.part", b"x" * 100000)
    got, _ = fetched("cora", "--to", "d", url=server.url + "norange")
    assert read("d/ind.cora.allx") == data and got["bytes_fetched"] == len(data)


@test
def a_server_that_sends_another_part_is_asked_for_all(server):
    data = all_but_allx(server)
    write("d/ind.cora.allx.part", data[:100000])
    fetched("cora", "--to", "d", url=server.url + "shifted")
    assert read("d/ind.cora.allx") == data
    assert [e[2] for e in server.log] == ["bytes=100000-", None]


@test
def halves_that_do_not_fit_are_fetched_anew(server):
    data = all_but_allx(server)
    for part in b"x" * 100000, b"x" * len(data), b"x" * (len(data) + 5):
        write("d/ind.cora.allx.part", part)
        fetched("cora", "--to", "d", url=server.url + "ok")
        assert read("d/ind.cora.allx") == data
        os.remove("d/ind.cora.allx")


@test
def a_complete_part_is_verified_and_not_fetched(server):
    data = all_but_allx(server)
    write("d/ind.cora.allx.part", data)
    fetched("cora", "--to", "d", url=server.url + "ok")
    assert server.log == [] and read("d/ind.cora.allx") == data


@test
def without_a_checksum_only_an_unchanged_file_is_gone_on_from(server):
    data = server.files["amazon_photo.npz"]
    for modified, what in (MODIFIED, "resumed"), (MODIFIED - 1, "fetched"):
        write("d/amazon_photo.npz.part", data[:5000] if what == "resumed" else b"x" * 5000)
        os.utime("d/amazon_photo.npz.part", (modified, modified))
        got, said = fetched("amazon-photo", "--to", "d", url=server.url + "ok")
        assert read("d/amazon_photo.npz") == data and got["files"][0]["what"] == what
        assert said.count("no checksum is known") == 1 and not got["verified"]
        os.remove("d/amazon_photo.npz")
    assert [e[2] for e in server.log] == ["bytes=5000-"] * 2


@test
def passing_failures_are_tried_again(server):
    data = server.files["amazon_photo.npz"]
    _, said = fetched("amazon_photo", "--to", "d", url=server.url + "twice503")
    assert said.count("trying again in") == 2 and "HTTP 503" in said, said
    assert read("d/amazon_photo.npz") == data
    said = refused("the server failed (HTTP 500): try later", "amazon-photo", "--to", "e",
                   "--retries", "1", url=server.url + "500")
    assert said.count("trying again") == 1 and len(server.log) == 5


@test
def a_connection_that_breaks_goes_on_where_it_broke(server):
    data = all_but_allx(server)
    _, said = fetched("cora", "--to", "d", "--retries", "1", url=server.url + "pieces")
    assert read("d/ind.cora.allx") == data and said.count("the connection broke") == 2, said
    assert [e[2] for e in server.log] == [None, "bytes=100000-", "bytes=200000-"]


@test
def a_body_that_stays_short_is_kept_as_part(server):
    data = server.files["amazon_photo.npz"]
    said = refused("amazon_photo.npz.part", "amazon-photo", "--to", "d", "--retries", "0",
                   url=server.url + "broken")
    assert "the connection broke after %d bytes" % (len(data) // 2) in said
    assert names() == ["amazon_photo.npz.part"]
    got, _ = fetched("amazon-photo", "--to", "d", url=server.url + "ok")
    assert got["files"][0]["what"] == "resumed" and read("d/amazon_photo.npz") == data


@test
def what_servers_do_wrong_is_told_and_leaves_nothing(server):
    cases = {"404": "the server does not have it (HTTP 404): it may have moved",
             "410": "(HTTP 410)", "403": "the server refuses access (HTTP 403)",
             "501": "(HTTP 501)", "loop": "too many redirects",
             "tofile": "leads to an address that is not of http or https",
             "page": "the server sent a web page instead of data", "hiddenpage": "sent a web page",
             "empty": "the data is empty", "short": "the data is not a .npz file",
             "close": "the connection broke after 0 bytes"}
    for mode, words in cases.items():
        said = refused(words, "amazon-photo", "--to", "d", "--retries", "0", url=server.url + mode)
        assert "--base-url" in said or mode == "close", said
        assert names() == [], (mode, names())
    got, _ = fetched("amazon-photo", "--to", "d", url=server.url + "moved")
    assert got["bytes"] == len(server.files["amazon_photo.npz"])


@test
def a_file_of_another_size_or_sum_is_refused(server):
    real(server)
    cases = {"longer": "it has 22120 bytes, but the published file has 22119",
             "endless": "or more bytes, but the published file has 22119",
             "wrong": "the data has the SHA-256"}
    for mode, words in cases.items():
        refused(words, "cora", "--to", "d", url=server.url + mode)
        assert names() == [], (mode, names())


@test
def a_page_does_not_cost_what_had_come(server):
    write("d/amazon_photo.npz.part", server.files["amazon_photo.npz"][:5000])
    said = refused("a web page", "amazon-photo", "--to", "d", url=server.url + "page")
    assert "so far is in d/amazon_photo.npz.part" in said and names() == ["amazon_photo.npz.part"]


@test
def a_server_that_is_silent_is_given_up(server):
    for mode, kept in ("hang", []), ("stall", ["amazon_photo.npz.part"]):
        refused("no data for 1 s: try later, or wait longer with --timeout", "amazon-photo",
                "--to", "d", "--timeout", "1", "--retries", "0", url=server.url + mode)
        assert names() == kept


@test
def a_server_that_is_not_there_is_told(server):
    said = refused("the server cannot be reached", "amazon-photo", "--to", "d", "--retries", "1",
                   url="http://127.0.0.1:1/")
    assert said.count("trying again") == 1 and names() == []


@test
def a_certificate_must_be_trusted_and_no_page_leads_away_from_it(server):
    if not shutil.which("openssl"):
        raise Skip("there is no openssl")
    subprocess.run("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 "
                   "-addext subjectAltName=IP:127.0.0.1 -keyout key -out cert && cat key cert >pem",
                   shell=True, check=True, stderr=subprocess.DEVNULL)
    secure = Server(server.files, "pem")
    refused("certificate cannot be trusted", "amazon-photo", "--to", "d", url=secure.url + "ok")
    assert names() == [] and secure.log == []
    trusting = {**ENV, "SSL_CERT_FILE": os.path.abspath("cert")}
    secure.elsewhere = server.url + "ok/"
    refused("from https to http", "amazon-photo", "--to", "d", url=secure.url + "elsewhere",
            env=trusting)
    assert names() == [] and server.log == []
    fetched("amazon-photo", "--to", "d", url=secure.url + "ok", env=trusting)
    secure.shutdown()


@test
def an_interruption_keeps_the_part_and_says_so(server):
    process = subprocess.Popen([BONSAI, "fetch", "coauthor-cs", "--to", "d", "--base-url",
                                server.url + "drip"], env=ENV, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    part = "d/coauthor_cs.npz.part"
    for _ in range(200):
        if os.path.exists(part) and os.path.getsize(part):
            break
        time.sleep(0.02)
    assert not os.path.exists("d/coauthor_cs.npz")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT and out == "", (process.returncode, out, err)
    assert sentences(err) == ["bonsai: canceled; the data so far is in d/coauthor_cs.npz.part; "
                           "the same command resumes the download"], err
    assert names() == ["coauthor_cs.npz.part"]
    got, _ = fetched("coauthor-cs", "--to", "d", url=server.url + "ok")
    assert got["files"][0]["what"] == "resumed"
    assert read("d/coauthor_cs.npz") == server.files["coauthor_cs.npz"]


@test
def a_wait_between_tries_can_be_interrupted(server):
    process = subprocess.Popen([BONSAI, "fetch", "coauthor-cs", "--to", "d", "--base-url",
                                server.url + "500", "--retries", "100"], env=ENV,
                               stderr=subprocess.PIPE, text=True)
    time.sleep(1.2)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=5)
    assert process.returncode == -signal.SIGTERM and "bonsai: canceled" in err, err
    assert names() == []


@test
def two_at_a_time_do_not_write_one_file(server):
    write("d/amazon_photo.npz.part", b"")
    with open("d/amazon_photo.npz.part", "rb") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        refused("another bonsai fetch is writing it", "amazon-photo", "--to", "d",
                url=server.url + "ok")
    fetched("amazon-photo", "--to", "d", url=server.url + "ok")


@test
def a_file_that_cannot_grow_is_told_and_kept(server):
    def limits():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))
    said = refused("cannot be written: File too large: make room", "amazon-photo", "--to", "d",
                   url=server.url + "ok", preexec_fn=limits)
    assert "so far is in d/amazon_photo.npz.part" in said and os.path.getsize(
        "d/amazon_photo.npz.part") == 40000
    fetched("amazon-photo", "--to", "d", url=server.url + "ok")


@test
def a_full_disk_is_told_before_and_while(server):
    os.mkdir("d")
    inside = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=64k none d && exec "$@"', "sh"]
    if not shutil.which("unshare") or subprocess.run(inside + ["true"], check=False,
                                                     stderr=subprocess.DEVNULL).returncode:
        raise Skip("no small disk can be had")
    for name, words in (("cora", "the disk has 65.5 kB left, but cora needs 572 kB: make room"),
                        ("amazon-photo", "cannot be written: No space left on device: make room")):
        got = subprocess.run(inside + [BONSAI, "fetch", name, "--to", "d", "--base-url",
                                       server.url + "ok"], env=ENV, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, check=False, timeout=60)
        assert got.returncode == 1 and words in got.stderr, got.stderr


@test
def an_archive_stays_when_there_is_no_room_to_unpack_it(server):
    def limits():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))
    server.files["ogbn_arxiv.zip"] = zipped(
        {**ogb_entries(), "arxiv/large": os.urandom(25000).hex().encode()}, zipfile.ZIP_DEFLATED)
    assert len(server.files["ogbn_arxiv.zip"]) < 40000
    said = refused("cannot be written: File too large; make room", "ogbn-arxiv", "--to", "d",
                   url=server.url + "ok", preexec_fn=limits)
    assert "d/ogbn_arxiv.zip is kept" in said and names() == ["ogbn_arxiv.zip"], said
    fetched("ogbn-arxiv", "--to", "d", url=server.url + "ok")
    assert len(server.log) == 1 and "ogbn_arxiv.zip" not in names()


@test
def a_rest_of_more_bytes_than_there_are_is_refused(server):
    data = server.files["amazon_photo.npz"]
    write("d/amazon_photo.npz.part", data[:1000])
    os.utime("d/amazon_photo.npz.part", (MODIFIED, MODIFIED))
    refused("more bytes than any dataset", "amazon-photo", "--to", "d", url=server.url + "huge")
    assert server.log == [("huge", "amazon_photo.npz", "bytes=1000-")]


@test
def a_folder_that_cannot_be_had_is_told(server):
    write("file", b"")
    refused("file: cannot create the folder: a file has that name", "amazon-photo", "--to",
            "file/d", url=server.url + "ok")
    if os.geteuid() != 0:
        os.mkdir("locked", 0o555)
        refused("cannot be written: Permission denied", "amazon-photo", "--to", "locked",
                url=server.url + "ok")
    assert server.log == []


@test
def wrong_usage_is_told(server):
    refused('there is no dataset "corra"; did you mean "cora"?', "corra", code=2)
    refused('there is no dataset "zzzzzzzzz"; "bonsai fetch" lists them', "zzzzzzzzz", code=2)
    for bad in "ftp://x/", "file:///etc/", "127.0.0.1":
        refused('is "%s", which does not begin with http' % bad, "cora", "--to", "d", code=2,
                url=bad)
    refused("--timeout is 0", "cora", "--timeout", "0", code=2)
    assert names() == []


@test
def another_server_can_be_named_in_the_environment(server):
    env = {**ENV, "BONSAI_MIRROR": server.url + "ok/"}
    got, _ = fetched("amazon-photo", "--to", "d", env=env)
    assert got["from"] == server.url + "ok/" and server.log[0][:2] == ("ok", "amazon_photo.npz")
    refused("HTTP 404", "coauthor-cs", "--to", "d", url=server.url + "404", env=env)


@test
def every_layout_loads_from_the_path_that_is_told(server):
    for name, nodes in {"amazon-computers": 300, "flickr": 40, "reddit": 50,
                        "ogbn-arxiv": 60}.items():
        got, _ = fetched(name, "--to", "d/e", url=server.url + "ok")
        assert info(got["path"])["nodes"] == nodes, name
        again, said = fetched(name, "--to", "d/e", url=server.url + "ok")
        assert "nothing was downloaded" in said and again["path"] == got["path"]
    assert not [n for n in names() if "part" in n or n.endswith(".zip")], names()


@test
def a_cut_file_without_a_length_is_noticed(server):
    fetched("flickr", "--to", "d", url=server.url + "nolength")
    for name in ("feats.npy", "class_map.json", "role.json", "adj_full.npz"):
        whole, path = server.files["flickr/" + name], "d/flickr/" + name
        for part in (whole[:-1], whole[:len(whole) // 2], whole[:11], whole[:1],
                     whole + b"}" if name.endswith("json") else whole[:130]):
            os.remove(path)
            server.files["flickr/" + name] = part
            refused("is not a .%s file, or not all of one" % name.split(".")[1], "flickr", "--to",
                    "d", url=server.url + "nolength")
            assert not os.path.exists(path) and not os.path.exists(path + ".part"), (name, part)
            write(path, part)           # nor is one that is there taken for whole
            refused("--force downloads it again", "flickr", "--to", "d", url=server.url + "ok")
        write(path, whole)
        server.files["flickr/" + name] = whole


@test
def chunks_without_an_end_are_noticed(server):
    refused("the connection broke after", "amazon-photo", "--to", "d", "--retries", "0",
            url=server.url + "chunk")
    assert not os.path.exists("d/amazon_photo.npz")


@test
def a_forced_file_keeps_its_mode_and_its_link(server):
    write("far/file", b"old")
    os.chmod("far/file", 0o600)
    os.mkdir("d")
    os.symlink("../far/file", "d/amazon_photo.npz")
    fetched("amazon-photo", "--to", "d", "--force", url=server.url + "ok")
    assert os.path.islink("d/amazon_photo.npz") and os.listdir("far") == ["file"]
    assert read("far/file") == server.files["amazon_photo.npz"]
    assert os.stat("far/file").st_mode & 0o777 == 0o600


@test
def an_archive_is_replaced_when_forced(server):
    fetched("ogbn_arxiv", "--to", "d", url=server.url + "ok")
    write("d/ogbn_arxiv/mine", b"")
    fetched("ogbn_arxiv", "--to", "d", "--force", url=server.url + "ok")
    assert len(names()) == 8 and not os.path.exists("d/ogbn_arxiv/mine")


@test
def folders_of_ones_own_beside_an_archive_stay(server):
    fetched("ogbn_arxiv", "--to", "d", url=server.url + "ok")
    os.mkdir("d/ogbn_arxiv.old")
    write("d/ogbn_arxiv.old/mine", b"")
    fetched("ogbn_arxiv", "--to", "d", "--force", url=server.url + "ok")
    assert len(names()) == 9 and os.path.exists("d/ogbn_arxiv.old/mine")


@test
def archives_that_mean_harm_or_are_damaged_leave_nothing(server):
    good = ogb_entries()
    link = zipfile.ZipInfo("arxiv/raw/link")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    damaged = bytearray(zipped({"arxiv/raw/a": b"some data" * 9}))
    damaged[50] ^= 1
    cases = {
        "would leave": zipped({**good, "arxiv/../../../evil": b""}),
        "would leave the": zipped({**good, "..": b""}),
        "has an absolute name": zipped({**good, os.path.abspath("evil"): b""}),
        "one of another system": zipped({**good, "arxiv\\..\\evil": b""}),
        "is a link": zipped({**good, link: b"/etc"}),
        "more than 32 times its size": zipped({**good, "arxiv/bomb": bytes(9000000)},
                                              zipfile.ZIP_DEFLATED),
        "there is no folder arxiv in it": zipped({"products/raw/edge.csv.gz": b""}),
        "is one of too many": zipped({"arxiv/%d" % i: b"" for i in range(10001)}),
        "is damaged at": bytes(damaged),
        "the data is not a .zip file": good["arxiv/raw/edge.csv.gz"],
    }
    for words, archive in cases.items():
        server.files["ogbn_arxiv.zip"] = archive
        refused(words, "ogbn-arxiv", "--to", "d", url=server.url + "ok")
        assert names() == [] and not os.path.exists("evil"), (words, names())
        assert os.listdir("d") == [], (words, os.listdir("d"))


@test
def a_terminal_gets_a_bar(server):
    try:
        master, slave = pty.openpty()
    except OSError:
        raise Skip("no terminal can be had")
    got = subprocess.Popen([BONSAI, "fetch", "coauthor-cs", "--to", "d", "--base-url",
                            server.url + "drip"], env=ENV, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    seen = b""
    try:
        while True:
            chunk = os.read(master, 4096)
            if not chunk:
                break
            seen += chunk
    except OSError:
        pass                            # the other end was closed
    os.close(master)
    assert got.wait() == 0 and b"coauthor-cs" in seen and b" %" in seen, seen


def main():
    tests = [TESTS[name] for name in sys.argv[2:] or TESTS]
    files = {"amazon_photo.npz": benchmark_npz(), "amazon_computers.npz": benchmark_npz(300),
             "coauthor_cs.npz": benchmark_npz(5000), "ogbn_arxiv.zip": zipped(ogb_entries())}
    files.update({"flickr/" + name: data for name, data in saint_files().items()})
    files.update({"reddit/" + name: data for name, data in saint_files(50).items()})
    files.update(published(SETS))
    passed = failed = skipped = 0
    for one in tests:
        with tempfile.TemporaryDirectory(prefix="bonsai-fetch-") as folder:
            os.chdir(folder)
            server = Server(dict(files))
            try:
                one(server)
                passed += 1
            except Skip as why:
                skipped += 1
                print("%s: skipped: %s" % (one.__name__, why))
            except Exception as error:          # pylint: disable=broad-except
                failed += 1
                print("%s: failed: %s %s" % (one.__name__, type(error).__name__, error))
            server.shutdown()
            server.server_close()
            os.chdir("/")
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return failed > 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        PROBE = run("cora", "--retries", "0", url="http://127.0.0.1:1/", cwd=scratch)
    if "this build has no libcurl" in PROBE.stderr:
        print("fetch: skipped: this build has no libcurl")
        sys.exit(77)
    sys.exit(main())
