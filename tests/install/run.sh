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
mkdir "$dir/away" && mv "$dir/stage/usr" "$dir/away/tools"
same 'what is installed' "$(cd "$dir/away/tools" && find . -type f | sed 's,^\./,,; s,^share/tdc/stdlib/.*,stdlib,; s,^share/tdc/backend_cuda/emu/.*,emu,' | sort -u | tr '\n' ' ')" \
    'bin/tdc emu share/bash-completion/completions/tdc share/man/man1/tdc.1 share/tdc/backend_cuda/run/runner.c share/zsh/site-functions/_tdc stdlib '
same 'outside the prefix' "$(find "$dir/stage" -type f | tr '\n' ' ')" ''
diff -rq stdlib "$dir/away/tools/share/tdc/stdlib" >"$dir/log"
verdict $? "the installed library: $(head -n 3 "$dir/log")"

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

# ---- the manual page ----
options=$("$TDC" --help | sed -nE '/^options:/,/^passes:/s/^  (-[-A-Za-z]+).*/\1/p' | sort | tr '\n' ' ')
same 'options of docs/tdc.1' "$(sed -nE '/^\.Sh OPTIONS/,/^\.Sh ENV/s/^\.It Fl ([-A-Za-z]+).*/-\1/p' docs/tdc.1 | sort | tr '\n' ' ')" "$options"
[ "$(wc -w <<<"$options")" -gt 20 ]
verdict $? "options: $options"
for e in $(sed -nE 's/^EMIT\([A-Z]+, "([a-z]+)".*/\1/p' frontend/emits.def | sort -u); do
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
touch "$dir/c/a.td" "$dir/c/a.kernel" "$dir/c/a.txt"
same 'a file or a command' "$(completes tdc '')" 'a.kernel a.td check explain run sub tune '
same 'a command' "$(completes tdc ch)" 'check '
same 'options of compiling' "$(completes tdc a.td -M)" '-MD -MF -MP -MQ -MT '
same 'options of run' "$(completes tdc run a.td --i)" '--in --interp '
same 'options of check' "$(completes tdc check a.td --i)" '--inputs '
same 'a value' "$(completes tdc a.td --dump = s)" 'schedule sema simplify '
same 'a value of its own' "$(completes tdc a.td --dump s)" 'schedule sema simplify '
same 'all values' "$(completes tdc a.td --emit =)" "$(sed -nE 's/^EMIT\([A-Z]+, "([a-z]+)".*/\1/p' frontend/emits.def | sort -u | tr '\n' ' ')"
same 'a folder' "$(completes tdc -I '')" 'sub '
same 'a file' "$(completes tdc a.td -o a.t)" 'a.td a.txt '
all=$(for c in a.td 'run a.td' 'check a.td' 'explain a.td' 'tune a.td'; do completes tdc $c -; done | tr ' ' '\n' | sort -u | tr '\n' ' ')
same 'the options that bash completes' "${all# }" "$options"
if command -v zsh >/dev/null; then
    zsh -n "$dir/away/tools/share/zsh/site-functions/_tdc"
    verdict $? 'the completion for zsh does not parse'
else
    echo 'no zsh here: its completion is compared with the options, and not run'
fi
same 'the options that zsh completes' "$(sed -nE "s/^    '\*?(-[-A-Za-z]+)[=+]?\[.*/\1/p" "$dir/away/tools/share/zsh/site-functions/_tdc" | sort | tr '\n' ' ')" "$options"
# its quotes are even in every line, but for the one that a text closes and opens again
sed "s/'\\\\''//g" "$dir/away/tools/share/zsh/site-functions/_tdc" | awk -v q="'" '!/^#/ && gsub(q, q) % 2 { exit 1 }'
verdict $? 'a quote of the completion for zsh is open'
finish
