#!/bin/bash
# The Makefile as packagers use it: their flags beside those that the sources need, what it says where a tool is missing, the commit
# in `tdc --version`. With TDC_EVERY=1 it builds with such flags, and in two folders the same bytes.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS CPPFLAGS LDFLAGS CC DEPS
# plan ARGUMENT...: the commands that a build from nothing would run
plan() { make -n "B=$dir/b" "$@" >"$dir/plan" 2>&1 || { cat "$dir/plan" && exit 1; }; }
compiles() { grep -E ' -c -o ' "$dir/plan"; }
links() { grep -E -- "-o $dir/b/tdc " "$dir/plan"; }
# all_have WHAT COMMANDS WORD...: each of the commands has all these words
all_have() {
    local what=$1 commands=$2 word
    shift 2
    for word in "$@"; do
        ! grep -qvF -- " $word " <<<"$commands"
        verdict $? "$what: without $word: $(grep -vF -- " $word " <<<"$commands" | head -n 1)"
    done
}
own=(-std=c11 -I. "-I$dir/b" -D_POSIX_C_SOURCE=200809L -ffp-contract=off "'-ffile-prefix-map=$PWD=.'")
flags=(CFLAGS='-O1 -gdwarf' CPPFLAGS='-D_FORTIFY_SOURCE=2' LDFLAGS='-Wl,-z,now')
for how in 'on the command line' 'in the environment'; do
    if [ "$how" = 'on the command line' ]; then plan "${flags[@]}"; else env "${flags[@]}" make -n "B=$dir/b" >"$dir/plan" 2>&1; fi
    [ "$(compiles | wc -l)" -gt 100 ]
    verdict $? "$how: compiles $(compiles | wc -l) files"
    all_have "flags $how" "$(compiles)" "${own[@]}" -O1 -gdwarf -D_FORTIFY_SOURCE=2
    all_have "flags $how" "$(links)" -O1 -gdwarf -Wl,-z,now
    ! compiles | grep -q -- ' -O2 '
    verdict $? "$how: -O2 beside the flags that are given"
done
plan CFLAGS=-O1 SAN=1
all_have 'SAN=1' "$(compiles)" "${own[@]}" -O1 -fsanitize=address,undefined
all_have 'SAN=1' "$(links)" -fsanitize=address,undefined
plan
all_have 'no flags' "$(compiles)" "${own[@]}" -O2 -g

# what is missing is said in one line, before anything is made; nothing is installed where DEPS=no
mkdir "$dir/bin"
for tool in make sh bash sed grep git awk mkdir touch rm echo dirname cat tr id gcc as ld cc1 python3; do
    path=$(command -v $tool) && ln -sf "$path" "$dir/bin/$tool"
done
# missing LINE ARGUMENT...
missing() {
    local line=$1 said
    shift
    said=$(PATH=$dir/bin make -s -j4 "B=$dir/none" "$@" 2>&1)
    same "make $*" "$(grep -v '^make' <<<"$said" || :; grep 'needs what' <<<"$said" | sort -u)" "$line"
    [ ! -e "$dir/none" ]
    verdict $? "make $*: made before: $(find "$dir/none" -type f 2>/dev/null | head -n 3 | tr '\n' ' ')"
}
missing 'make needs what is missing here; on Debian and Ubuntu: apt-get install re2c lemon'
missing 'make needs what is missing here; on Debian and Ubuntu: apt-get install gcc libc6-dev re2c lemon' CC=none
missing 'make demo needs what is missing here; on Debian and Ubuntu: apt-get install g++ re2c lemon' demo DEPS=no
# an apt-get that says that it was called, where we are root
printf '#!/bin/sh\nexit 1\n' >"$dir/bin/apt-get" && chmod +x "$dir/bin/apt-get"
printf '#!/bin/sh\necho 0\n' >"$dir/id" && chmod +x "$dir/id" && ln -sf "$dir/id" "$dir/bin/id"
ln -sf "$(command -v mktemp)" "$dir/bin/mktemp" && ln -sf "$(command -v tail)" "$dir/bin/tail"
PATH=$dir/bin make -s "B=$dir/none" demo >"$dir/log" 2>&1
same 'make demo says first' "$(head -n 1 "$dir/log")" 'make demo installs Debian packages that are missing: apt-get install g++ re2c lemon (make demo DEPS=no only says so)'

# the commit: from git, and from what `git archive` writes
said=$("${TDC:-${B:-build}/tdc}" --version | sed -n 's/^tdc .*, commit \([0-9a-f]*\).*/\1/p')
[ ! -e .git ] || [ -n "$said" ]
verdict $? "tdc --version names no commit"
if [ -e .git ] && git rev-parse HEAD >"$dir/head" 2>/dev/null; then
    git archive HEAD Makefile frontend/driver/commit.txt .gitattributes 2>/dev/null | tar x -C "$dir" && mkdir -p "$dir/frontend/driver"
    same 'the commit in a tarball' "$(cat "$dir/frontend/driver/commit.txt")" "$(cat "$dir/head")"
    plan=$(make -n -C "$dir" B=b b/commit 2>/dev/null | grep -o 'echo [0-9a-f]*')
    same 'the commit that a tarball builds' "$plan" "echo $(cut -c1-12 "$dir/head")"
fi

if [ "${TDC_EVERY:-0}" = 1 ]; then
    for folder in one two/deeper; do
        mkdir -p "$dir/$folder" && git ls-files -z | xargs -0 tar c | tar x -C "$dir/$folder"
        make -s -j2 -C "$dir/$folder" "${flags[@]}" CFLAGS='-O1 -g' "$([ $folder = one ] && echo B=build || echo "B=$dir/out")" >"$dir/log" 2>&1
        verdict $? "in $folder: $(tail -n 5 "$dir/log")"
    done
    cmp "$dir/one/build/tdc" "$dir/out/tdc"
    verdict $? 'two folders, two tdc'
    cmp "$dir/one/build/libtdc.a" "$dir/out/libtdc.a"
    verdict $? 'two folders, two libtdc.a'
    make -q -C "$dir/one" "${flags[@]}" CFLAGS='-O1 -g'
    verdict $? 'a second make has work to do'
fi
finish
