#!/bin/bash
# Whether two revisions of tdc emit the same: `tests/replay/run.sh BASE [NAME...]` builds tdc of the commit BASE and of the
# working tree, gives both BASE's inputs, and compares all that they write and say. NAMEs choose the inputs whose name contains
# one of them. The last line is `N identical, M differ`; each that differs is named with the first lines of its difference (all of
# it is in build/replay/differs), and the exit status is non-zero. TDC_EVERY=1 replays all of the library's exports, not every third.
# Without arguments it tests itself, as tests/run.sh runs it: tdc against itself, and against one that writes another word.
cd "$(dirname "$0")/../.." || exit 1
B=$(realpath -m "${B:-build}")

# The inputs of a checkout, in folders by kind, for a tdc that is run in the folder.
inputs() { # CHECKOUT FOLDER
    local kind
    mkdir -p "$2/out" "$2/library"
    for kind in samples tests/kernels tests/numeric tests/golden tests/language bench; do
        mkdir -p "$2/${kind##*/}"
        find "$1/$kind" -maxdepth 2 \( -name '*.td' -o -name '*.kernel' -o -name '*.graph' \) -exec cp {} "$2/${kind##*/}" \;
    done
    for python in python3 /usr/bin/python3; do
        (cd "$1" && PYTHONDONTWRITEBYTECODE=1 $python tests/same/library.py "$2/library" 2>"$2/log") && break
    done
}

# One input's files and what is said of it, in out/: the .cu and its siblings, the schedules, messages and the status.
replay_one() { # INPUT
    local stem=out/${1//\//_}
    "$REPLAY_TDC" "$1" -o "$stem.cu" --emit=cu,c,h,manifest -Wperf >"$stem.said" 2>&1 || echo "status $?" >>"$stem.said"
    [[ $1 = *.td ]] && "$REPLAY_TDC" "$1" --dump=kernels >"$stem.schedule" 2>&1
    return 0
}
export -f replay_one
replay() { # TDC FOLDER STDLIB'S HOME
    (cd "$2" && export REPLAY_TDC=$1 TDC_HOME=$3 &&
        find . -mindepth 2 \( -name '*.td' -o -name '*.kernel' -o -name '*.graph' \) | sed 's,^\./,,' | sort |
        if [ ${#only[@]} = 0 ]; then cat; else grep -F "$(printf '%s\n' "${only[@]}")"; fi |
        xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'replay_one {}')
}
# Says which files differ: of both folders, also those that only one has.
compare() { # BASE'S FOLDER, OURS
    local f same=0 differ=0
    : >"$log"
    for f in $( (cd "$1/out" && ls; cd "$2/out" && ls) | sort -u); do
        if cmp -s "$1/out/$f" "$2/out/$f"; then
            same=$((same + 1))
        else
            differ=$((differ + 1))
            echo "differs: $f"
            diff -N "$1/out/$f" "$2/out/$f" | tee -a "$log" | head -n "${LINES_SHOWN:-6}" | cut -c1-160
        fi
    done
    echo "$same identical, $differ differ"
    [ $differ = 0 ] && [ $same -gt 0 ]
}

only=()
if [ $# -gt 0 ]; then
    base=$(git rev-parse --verify "$1^{commit}") || exit 2
    shift
    only=("$@")
    dir=$B/replay log=$B/replay/differs at=$B/replay/$base
    if [ ! -x "$at/build/tdc" ]; then
        rm -rf "$at" && mkdir -p "$at" && git archive "$base" | tar -x -C "$at" || exit 2
        env -u MAKEFLAGS -u MFLAGS -u B make -s -j"$(nproc)" -C "$at" ${CC:+CC="$CC"} all || exit 2
    fi
    make -s -j"$(nproc)" B="$B" ${CC:+CC="$CC"} all || exit 2
    rm -rf "$dir/base" "$dir/ours"
    inputs "$at" "$dir/base"
    cp -r "$dir/base" "$dir/ours"
    # One library for both: what an import finds is input, too.
    replay "$at/build/tdc" "$dir/base" "$at"
    replay "$B/tdc" "$dir/ours" "$at"
    compare "$dir/base" "$dir/ours"
    exit
fi

. tests/suite.sh
log=$dir/differs
mkdir -p "$dir/base/out" "$dir/base/samples"
cp samples/softmax.td tests/kernels/softmax_4k.kernel "$dir/base/samples"
cp -r "$dir/base" "$dir/ours"
cp -r "$dir/base" "$dir/other"
tdc=$(realpath "${TDC:-$B/tdc}")
# shellcheck disable=SC2016 # the script's own words
printf '#!/bin/sh\n%s "$@" || exit\nfor f in out/*.cu; do sed -i s/td_load/td_lode/ "$f"; done\n' "$tdc" >"$dir/tdc" && chmod +x "$dir/tdc"
replay "$tdc" "$dir/base" "$PWD"
replay "$tdc" "$dir/ours" "$PWD"
replay "$dir/tdc" "$dir/other" "$PWD"
said=$(compare "$dir/base" "$dir/ours")
same "tdc and itself" "$?: $(tail -n 1 <<<"$said")" "0: 11 identical, 0 differ"
said=$(compare "$dir/base" "$dir/other")
same "another word is noticed" "$?: $(grep -c '^differs: .*\.cu$' <<<"$said")" "1: 2"
rm -f "$dir"/other/out/*.h
said=$(compare "$dir/base" "$dir/other")
same "a file that is not written is noticed" "$?: $(grep -c '^differs: .*\.h$' <<<"$said")" "1: 2"
finish
