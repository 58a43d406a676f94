#!/bin/bash
# The Python package as it is installed: `make wheel`, the wheel with the compiler in it, used where there is no checkout; and
# `pip install ./python`, the package alone. Neither asks for a network.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
TDC=$(realpath "${TDC:-$B/tdc}")
. tests/suite.sh
for python in python3 /usr/bin/python3; do $python -c 'import numpy' 2>/dev/null && break; done
log=$dir/log cache=$(realpath -m "$B")/cache
try() { # WHAT COMMAND...
    local what=$1
    shift
    "$@" >"$log" 2>&1
    verdict $? "$what: $(tail -n 20 "$log")"
}

# ---- the wheel ----
wheels() { env -u MAKEFLAGS -u MFLAGS make -s wheel "B=$B"; }
try 'make wheel' wheels
cp "$B"/wheel/tdlang-*.whl "$dir" 2>/dev/null
wheel=$(echo "$dir"/tdlang-*.whl)
[[ ${wheel##*/} =~ ^tdlang-([0-9.]+)-py3-none-[a-z]+_[a-z0-9_]+\.whl$ ]] && version=${BASH_REMATCH[1]}
verdict $? "the wheel's name: $wheel"
[[ $("$TDC" --version) == "tdc $version "* ]]
verdict $? "the package is $version, the compiler $("$TDC" --version)"
try 'make wheel again' wheels
try 'the same bytes' cmp "$B/wheel/${wheel##*/}" "$wheel"
$python -m zipfile -e "$wheel" "$dir/unpacked"
chmod +x "$dir/unpacked/tdlang/compiler/bin/tdc" # zipfile drops it, pip keeps it
for line in 'License-Expression: MIT' 'Author: The tdc authors' "Version: $version" 'Name: tdlang'; do
    try "METADATA: $line" grep -qxF "$line" "$dir/unpacked/tdlang-$version.dist-info/METADATA"
done
try 'the library' diff -r stdlib "$dir/unpacked/tdlang/compiler/share/tdc/stdlib"

# ---- a source distribution gives the same wheel as the checkout ----
backend='import sys; sys.path.insert(0, sys.argv[1]); import backend; getattr(backend, sys.argv[2])(sys.argv[3])'
export PYTHONDONTWRITEBYTECODE=1
mkdir "$dir/there" "$dir/here"
try 'a source distribution' $python -c "$backend" python build_sdist "$dir"
tar -xf "$dir/tdlang-$version.tar.gz" -C "$dir"
try 'its wheel' $python -c "$backend" "$dir/tdlang-$version" build_wheel "$dir/there"
try "the checkout's wheel" $python -c "$backend" python build_wheel "$dir/here"
try 'the same wheel' cmp "$dir/here/tdlang-$version-py3-none-any.whl" "$dir/there/tdlang-$version-py3-none-any.whl"
[ ! -e LICENSE ] || cmp LICENSE "$dir/unpacked/tdlang-$version.dist-info/licenses/LICENSE"
verdict $? 'the licence is not in the wheel'

# ---- away from the checkout ----
mkdir "$dir/away"
cat >"$dir/away/net.td" <<'END'
import "nn";
export fn net(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * relu(x[i]); }
export p = softmax(T = f32, B = [M]);
export fn half(n: int) -> f32 = f32(n) / 2;
END
cat >"$dir/away/use.py" <<'END'
import os, tdlang
assert tdlang._build.compiler() == tdlang._build.INSIDE, tdlang._build.compiler()
assert not os.path.exists("build")
model = tdlang.build("net.td", target="stand-in")
assert model.half(3) == 1.5
try:
    import numpy
    assert model.net(numpy.float32([-1, 3])).tolist() == [0, 6]
except ImportError:  # where this Python is a virtual environment itself, whose packages another does not see
    pass
assert model.manifest["tdc"] == tdlang.__version__
END
away() { (cd "$dir/away" && env -i PATH="$dir/bin:/usr/bin:/bin" HOME="$dir/home" TDC_CACHE="$cache" PYTHONPATH="${path:-}" "$@"); }
with=$(command -v $python)
if $python -m pip --version >"$log" 2>&1; then
    $python -m venv --without-pip --system-site-packages "$dir/venv"
    install() { $python -m pip --python "$dir/venv/bin/python" install -q --no-index --no-deps --force-reinstall "$@"; }
    try 'pip install of the wheel' install "$wheel"
    ln -s "$dir/venv/bin" "$dir/bin"
    with=$dir/venv/bin/python
    try 'the command tdc' away tdc net.td -o net.cu
    grep -q '__global__' "$dir/away/net.cu"
    verdict $? 'net.cu has no kernel'
    [ "$(away tdc --version)" = "$("$TDC" --version)" ]
    verdict $? "the command's version: $(away tdc --version)"
else
    echo 'there is no pip here: the wheel is unpacked, not installed'
    path=$dir/unpacked
fi
try 'a model built from the wheel' away "$with" use.py
try 'python -m tdlang' away "$with" -m tdlang net.td -o net.cu
away "$with" -m tdlang none.td -o none.cu >"$log" 2>&1
[ $? = 1 ] && grep -q 'none.td: No such file' "$log"
verdict $? "the exit status of python -m tdlang: $(cat "$log")"

# ---- the package alone ----
if [ -L "$dir/bin" ]; then
    cp -r python "$dir/python" # pip leaves nothing in the checkout
    try 'pip install ./python' install "$dir/python"
    [ ! -e "$dir/venv/bin/tdc" ]
    verdict $? 'the package alone has a command tdc, and no compiler'
    away "$with" -m tdlang --version >"$log" 2>&1
    [ $? = 3 ] && grep -q '^tdc was not found: put it into PATH, set TDC to it, or install the wheel' "$log"
    verdict $? "without a compiler: $(cat "$log")"
    try 'the package alone, with tdc in PATH' away PATH="${TDC%/*}:/usr/bin:/bin" "$with" -m tdlang --version
    try 'the package alone, with TDC' away TDC="$TDC" "$with" -m tdlang --version
    mkdir -p "$dir/prefix/bin" "$dir/prefix/share/tdc/python" && ln -s "$TDC" "$dir/prefix/bin/tdc"
    cp -r python/tdlang "$dir/prefix/share/tdc/python"
    path=$dir/prefix/share/tdc/python try 'the package and tdc under one prefix' away "$with" -m tdlang --version
    try 'pip install -e ./python' install -e "$dir/python"
    try 'the editable package' away "$with" -c 'import sys, tdlang; assert tdlang.__file__.startswith(sys.argv[1])' "$dir/python"
fi
finish
