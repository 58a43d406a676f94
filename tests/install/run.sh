#!/bin/bash
# make install: what goes where, and that it works from there; the manual page and the completions against `tdc --help`.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
TDC=$(realpath "${TDC:-$B/tdc}")
. tests/suite.sh
unset TDC_HOME
same() { # what GOT WANTED
    [ "$2" = "$3" ]
    verdict $? "$1: $(diff <(tr ' ' '\n' <<<"$2") <(tr ' ' '\n' <<<"$3") | grep '^[<>]' | tr '\n' ' ')(<: found, >: expected)"
}

# ---- the files ----
env -u MAKEFLAGS -u MFLAGS make -s install "B=$B" "DESTDIR=$dir/stage" PREFIX=/usr >"$dir/log" 2>&1
verdict $? "make install: $(tail -n 5 "$dir/log")"
mkdir "$dir/away" && cp -a "$dir/stage/usr" "$dir/away/tools"
same 'what is installed' "$(cd "$dir/away/tools" && find . -type f | sed 's,^\./,,; s,^share/tdc/stdlib/.*,stdlib,; s,^share/tdc/backend_cuda/emu/.*,emu,; s,^share/tdc/\(cmake\|python\|samples\)/.*,\1,; s,^share/doc/tdc/.*\.md,docs,' | sort -u | tr '\n' ' ')" \
    'bin/tdc cmake docs emu python samples share/bash-completion/completions/tdc share/doc/tdc/LICENSE share/man/man1/tdc.1 share/pkgconfig/tdc.pc share/tdc/backend_cuda/run/runner.c share/zsh/site-functions/_tdc stdlib '
for folder in stdlib backend_cuda/emu backend_cuda/run cmake samples python/*/; do
    diff -r --exclude='__pycache__' "$folder" "$dir/away/tools/share/tdc/$folder" >"$dir/log"
    same "$folder" "$(cat "$dir/log")" "$([ $folder != samples ] || echo 'Only in samples: demo.sh')"
done
file_sections() { readelf -SW "$1" | grep -c ' \.debug_info'; }
same 'debug information in what is installed' "$(file_sections "$dir/away/tools/bin/tdc")" 0
env -u MAKEFLAGS -u MFLAGS make -s install "B=$B" "DESTDIR=$dir/whole" PREFIX=/usr 'INSTALL=install --strip-program=true' >"$dir/log" 2>&1
same 'debug information as debhelper installs it' "$(file_sections "$dir/whole/usr/bin/tdc")" "$(file_sections "$B/tdc")"
echo mine >"$dir/stage/usr/share/tdc/stdlib/mine.td"
env -u MAKEFLAGS -u MFLAGS make -s uninstall "B=$B" "DESTDIR=$dir/stage" PREFIX=/usr >"$dir/log" 2>&1
verdict $? "make uninstall: $(tail -n 5 "$dir/log")"
same 'what make uninstall leaves' "$(find "$dir/stage" -type f -printf '%P ')" 'usr/share/tdc/stdlib/mine.td '
rm "$dir/stage/usr/share/tdc/stdlib/mine.td"
env -u MAKEFLAGS -u MFLAGS make -s uninstall "B=$B" "DESTDIR=$dir/stage" PREFIX=/usr >"$dir/log" 2>&1
same 'the folders that make uninstall leaves' "$(find "$dir/stage" -name tdc -printf '%P ')" ''

# ---- works from there, where nothing can be written, and called through a link ----
tdc=$dir/away/tools/bin/tdc
cat >"$dir/net.td" <<'END'
import "nn";
export fn net(x: f32[N]) -> (y: f32[N]) { y[i] = gelu(x[i]); }
check net(N = 100);
END
chmod -R a-w "$dir/away"
ln -s "$tdc" "$dir/link"
(cd "$dir" && "$tdc" net.td -o net.cu -MD) >"$dir/log" 2>&1
verdict $? "an import of the library: $(head -n 5 "$dir/log")"
grep -q "$dir/away/tools/share/tdc/stdlib/nn.td" "$dir/net.d"
verdict $? "another library was read: $(cat "$dir/net.d")"
(cd "$dir" && ./link check net.td --emu) >"$dir/log" 2>&1
verdict $? "a check: $(tail -n 5 "$dir/log")"
chmod -R u+w "$dir/away"
# a copy of its samples is built by what is installed
cp -r "$("$tdc" --print-dir=samples)" "$dir/copy"
said=$(PATH=$dir/away/tools/bin:$PATH env -u TDC -u EMU make -n -C "$dir/copy" NVCC=none build/emu/softmax 2>&1)
grep -q '^tdc softmax.td ' <<<"$said" && grep -qF -- "-I$dir/away/tools/share/tdc/backend_cuda/emu" <<<"$said"
verdict $? "a copy of the samples: $said"
# where its folders are: as it says, and as pkg-config does; in the checkout too
for place in emu:backend_cuda/emu stdlib:stdlib cmake:cmake python:python samples:samples; do
    same "--print-dir=${place%:*}" "$("$dir/link" --print-dir="${place%:*}")" "$dir/away/tools/share/tdc/${place#*:}"
    same "--print-dir=${place%:*} in the checkout" "$(env -u TDC_HOME "$TDC" --print-dir "${place%:*}")" "$PWD/${place#*:}"
    command -v pkg-config >/dev/null || continue
    same "pkg-config --variable=${place%:*}" "$(realpath "$(PKG_CONFIG_PATH=$dir/away/tools/share/pkgconfig pkg-config --variable="${place%:*}" tdc)")" \
        "$dir/away/tools/share/tdc/${place#*:}"
done
same '--print-dir=docs' "$("$tdc" --print-dir=docs)" "$dir/away/tools/share/doc/tdc"
same '--print-dir=docs in the checkout' "$("$TDC" --print-dir=docs)" "$PWD/docs"
same 'the version of tdc.pc' "$(sed -n 's/^Version: //p' "$dir/away/tools/share/pkgconfig/tdc.pc")" "$("$tdc" --version | sed -n '1s/^tdc \([^ ]*\) .*/\1/p')"

# ---- the manual page ----
options=$("$TDC" --help | sed -nE '/^options:/,/^passes:/s/^  (-[-A-Za-z]+).*/\1/p' | sort | tr '\n' ' ')
same 'options of docs/tdc.1' "$(sed -nE '/^\.Sh OPTIONS/,/^\.Sh ENV/s/^\.It Fl ([-A-Za-z]+).*/-\1/p' docs/tdc.1 | sort | tr '\n' ' ')" "$options"
[ "$(wc -w <<<"$options")" -gt 20 ]
verdict $? "options: $options"
for e in $(sed -nE 's/^EMIT\([A-Z]+, "([a-z]+)".*/\1/p' frontend/driver/emits.def | sort -u); do
    grep -qE "^\.Cm .*\b$e\b" docs/tdc.1 && "$TDC" --help | grep -q -- "--emit=.*\b$e\b"
    verdict $? "--emit=$e is not described"
done
for code in 0 1 2 3; do
    grep -q "^\.It $code$" docs/tdc.1
    verdict $? "the exit status $code is not described"
done
if command -v groff >/dev/null; then
    said=$(groff -mdoc -Tutf8 -ww docs/tdc.1 2>&1 >"$dir/page")
    [ -z "$said" ] && [ "$(wc -l <"$dir/page")" -gt 100 ]
    verdict $? "groff: $said"
fi

# ---- completions ----
bash -n "$dir/away/tools/share/bash-completion/completions/tdc"
verdict $? 'the completion for bash does not parse'
# completes WORDS...: what the last one can become, in bash
completes() {
    (
        cd "$dir/c" || exit
        # shellcheck disable=SC1090,SC1091
        . "$dir/away/tools/share/bash-completion/completions/tdc"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _tdc
        printf '%s\n' "${COMPREPLY[@]}" | sort -u | tr '\n' ' '
    )
}
mkdir "$dir/c" "$dir/c/sub"
touch "$dir/c/a.kernel" "$dir/c/a.txt"
cat >"$dir/c/a.td" <<'END'
export fn soft(x: bf16[Rows, N], eps: f32) -> (y: bf16[Rows, N]) { y[i, j] = x[i, j] + eps; }
export hard = soft(Rows = 4);
END
PATH=$dir/away/tools/bin:$PATH
same 'a file or a command' "$(completes tdc '')" 'a.kernel a.td bench calibrate check explain help run sub tune '
same 'a command' "$(completes tdc ch)" 'check '
same 'options of compiling' "$(completes tdc a.td -M)" '-MD -MF -MP -MQ -MT '
same 'options of run' "$(completes tdc run a.td --i)" '--in --interp '
same 'options of check' "$(completes tdc check a.td --i)" '--inputs '
same 'a value' "$(completes tdc a.td --dump = s)" 'same sema share simplify sort split stream '
same 'a value of its own' "$(completes tdc a.td --dump s)" 'same sema share simplify sort split stream '
same 'all values' "$(completes tdc a.td --emit =)" "$(sed -nE 's/^EMIT\([A-Z]+, "([a-z]+)".*/\1/p' frontend/driver/emits.def | sort -u | tr '\n' ' ')"
same 'a folder' "$(completes tdc -I '')" 'sub '
same 'a file' "$(completes tdc a.td -o a.t)" 'a.td a.txt '
same 'a command after options' "$(completes tdc --library none ch)" 'check '
same 'a command to be helped with' "$(completes tdc help e)" 'explain '
same 'options of run after options' "$(completes tdc --library none run a.td --i)" '--in --interp '
same 'entries' "$(completes tdc run a.td '')" 'hard soft '
same 'an entry' "$(completes tdc explain a.td so)" 'soft '
same 'sizes' "$(completes tdc a.td -D '')" 'N= Rows= eps= '
same 'a size' "$(completes tdc run a.td soft -D R)" 'Rows= '
same 'a code' "$(completes tdc --explain E110)" 'E1100 E1101 E1102 E1103 E1104 '
all=$(for c in a.td 'run a.td' 'check a.td' 'explain a.td' 'bench a.td' 'tune a.td'; do completes tdc $c -; done | tr ' ' '\n' | sort -u | tr '\n' ' ')
same 'the options that bash completes' "${all# }" "$options"
if command -v zsh >/dev/null; then
    zsh -n "$dir/away/tools/share/zsh/site-functions/_tdc"
    verdict $? 'the completion for zsh does not parse'
    same 'zsh' "$(cd "$dir/c" && timeout 60 zsh -f "$project/tests/install/zsh.sh" "$dir/away/tools/share/zsh/site-functions" 'tdc ch' 'tdc help e' 'tdc a.t' \
        'tdc check --sm' 'tdc --dump=cho' 'tdc --explain E110' 'tdc run a.td h' 'tdc run a.td soft -D R' 'tdc run a.td soft -D ' | tr '\n' '|')" \
        'tdc check |tdc help explain |tdc a.td |tdc check --smallest |tdc --dump=choose |tdc --explain E110|tdc run a.td hard |tdc run a.td soft -D Rows=|tdc run a.td soft -D |'
else
    echo 'no zsh here: its completion is compared with the options, and not run'
fi
same 'the options that zsh completes' "$(sed -nE "s/^    '\*?(-[-A-Za-z]+)[=+]?\[.*/\1/p" "$dir/away/tools/share/zsh/site-functions/_tdc" | sort | tr '\n' ' ')" "$options"
# its quotes are even in every line, but for the one that a text closes and opens again
sed "s/'\\\\''//g" "$dir/away/tools/share/zsh/site-functions/_tdc" | awk -v q="'" '!/^#/ && gsub(q, q) % 2 { exit 1 }'
verdict $? 'a quote of the completion for zsh is open'
finish
