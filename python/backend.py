"""Makes the wheel of the package tdlang: alone for `pip install ./python`, or with the compiler in it for `make wheel`.

A build backend of its own (PEP 517), of the standard library alone: building needs no network, and a wheel with the
same contents has the same bytes."""
import base64
import hashlib
import io
import os
import re
import sys
import sysconfig
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
LICENSE = next((p for p in (os.path.join(HERE, *up, "LICENSE") for up in ((), ("..",))) if os.path.exists(p)), None)
TEXT = "The compiler's pages docs/python.md and docs/pytorch.md describe the package.\n"


def _read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def _project():
    """What pyproject.toml says, whose values are all strings; and the version, which the package says."""
    text = _read(HERE, "pyproject.toml").decode()
    project = dict(re.findall(r'^([a-z-]+) = "(.*)"$', text, re.M))
    project["author"] = re.search(r'^authors = .*name = "([^"]*)"', text, re.M)[1]
    project["version"] = re.search(r'^__version__ = "([^"]*)"', _read(HERE, "tdlang", "__init__.py").decode(), re.M)[1]
    return project


def _metadata(p):
    fields = [("Metadata-Version", "2.4"), ("Name", p["name"]), ("Version", p["version"]),
              ("Summary", p["description"]), ("Author", p["author"]), ("License-Expression", p["license"]),
              ("Requires-Python", p["requires-python"]), ("Description-Content-Type", "text/markdown")]
    if LICENSE:
        fields.append(("License-File", "LICENSE"))
    return ("".join(f"{k}: {v}\n" for k, v in fields) + "\n" + TEXT).encode()


def _package():
    return {
        f"tdlang/{f}": (_read(HERE, "tdlang", f), 0o644)
        for f in os.listdir(os.path.join(HERE, "tdlang")) if f.endswith(".py")
    }


def _compiler(prefix):
    """What `make install` put under a prefix, as far as compiling and the CPU stand-in need it."""
    files = {"tdlang/compiler/bin/tdc": (_read(prefix, "bin", "tdc"), 0o755)}
    for part in ("stdlib", "backend_cuda"):
        for folder, _, names in os.walk(os.path.join(prefix, "share", "tdc", part)):
            inside = os.path.relpath(folder, prefix).replace(os.sep, "/")
            files.update((f"tdlang/compiler/{inside}/{n}", (_read(folder, n), 0o644)) for n in names)
    return files


def _platform(binary):
    """The wheel's platform: with glibc the oldest version of it that has all symbols the program asks for (PEP 600)."""
    tag = re.sub(r"[^a-z0-9]", "_", sysconfig.get_platform())
    versions = [tuple(map(int, v.split(b"."))) for v in re.findall(rb"\0GLIBC_(\d+\.\d+)", binary)]
    return tag.replace("linux_", "manylinux_%d_%d_" % max(versions)) if versions else tag


def _write(folder, files, tag):
    """Writes the wheel; its name."""
    p = _project()
    stem = f"{p['name']}-{p['version']}"
    info = f"{stem}.dist-info"
    pure = "true" if tag.endswith("-any") else "false"
    files = dict(files)
    files[f"{info}/METADATA"] = (_metadata(p), 0o644)
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: tdlang\nRoot-Is-Purelib: {pure}\nTag: {tag}\n".encode(),
                              0o644)
    if LICENSE:
        files[f"{info}/licenses/LICENSE"] = (_read(LICENSE), 0o644)
    rows = []
    for name, (data, _) in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}\n")
    files[f"{info}/RECORD"] = ("".join(rows) + f"{info}/RECORD,,\n").encode(), 0o644
    wheel = f"{stem}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as z:
        for name, (data, mode) in sorted(files.items(), key=lambda f: (info in f[0], f[0])):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            z.writestr(entry, data)
    return wheel


# ---- what pip calls ----
def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, _package(), "py3-none-any")


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, {"tdlang.pth": (HERE.encode() + b"\n", 0o644)}, "py3-none-any")


def build_sdist(sdist_directory, config_settings=None):
    p = _project()
    stem = f"{p['name']}-{p['version']}"
    files = {n: data for n, (data, _) in _package().items()}
    files.update({n: _read(HERE, n) for n in ("pyproject.toml", "backend.py")}, **{"PKG-INFO": _metadata(p)})
    if LICENSE:
        files["LICENSE"] = _read(LICENSE)
    with tarfile.open(os.path.join(sdist_directory, f"{stem}.tar.gz"), "w:gz") as t:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{stem}/{name}")
            entry.size = len(data)
            t.addfile(entry, io.BytesIO(data))
    return f"{stem}.tar.gz"


def main(folder, prefix):
    """The wheel with the compiler that is installed under a prefix."""
    files = _compiler(prefix)
    p = _project()
    scripts = f"{p['name']}-{p['version']}.dist-info/entry_points.txt"
    files[scripts] = (b"[console_scripts]\ntdc = tdlang.__main__:main\n", 0o644)
    tag = f"py3-none-{_platform(files['tdlang/compiler/bin/tdc'][0])}"
    print(os.path.join(folder, _write(folder, {**_package(), **files}, tag)))


if __name__ == "__main__":
    main(*sys.argv[1:])
