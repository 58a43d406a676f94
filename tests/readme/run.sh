#!/bin/bash
# README.md as a script: its blocks marked `sh` are run, those marked `LANGUAGE FILE` written to that file, in the order of the
# page and by one shell, which begins in the project's folder with an empty $HOME. What needs PyTorch is left out where there is
# none. --gpu runs it for the GPU: without EMU=... Where there is nvcc the C program also says in one line that there is no GPU.
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
keep_stand_in
python3 -c 'import torch' 2>/dev/null && torch=1 || torch=0
[ "${1:-}" = --gpu ] && gpu=1 || gpu=0
awk -v torch=$torch -v gpu=$gpu '
    /^```/ && kind { if (kind == "file") print "end of the file"; kind = ""; next }
    /^```sh$/ { kind = "sh"; next }
    /^```[a-z]+ [^ ]+$/ { kind = "file"; print "cat >" $2 " <<\"end of the file\""; next }
    /^```/ { kind = "other"; next }
    kind == "sh" && /^python3 / && !torch { print "echo \"left out: " $0 " (there is no PyTorch here)\""; next }
    kind == "sh" && gpu { gsub(/ EMU=\$\([^)]*\)/, ""); gsub(/ emu\/app/, " ./app") }
    kind == "sh" || kind == "file"' README.md >"$dir/script"
cat >>"$dir/script" <<'END'
make -q "$@"
if [ $# != 0 ]; then # for a GPU and for the stand-in by turns; what a compiler is called for is not looked at here
    printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho gpu >"$2"\n' >nvcc && chmod +x nvcc
    make NVCC=./nvcc && [ "$(cat app)" = gpu ] && make -q "$@" && make -q NVCC=./nvcc && emu/app
fi
touch add_norm.td
if make -q "$@"; then echo 'make does not see that the program changed'; exit 1; fi
END
emu=$([ $gpu = 1 ] || echo "EMU=$dir/home/.local/share/tdc/backend_cuda/emu")
mkdir "$dir/home"
env -u TDC -u TDC_HOME -u TDC_CACHE PYTHONDONTWRITEBYTECODE=1 HOME="$dir/home" MAKEFLAGS="B=${B:-build}" \
    bash -eux "$dir/script" ${emu:+"$emu"} >"$dir/log" 2>&1
verdict $? "the page: $(tail -n 20 "$dir/log")"
grep -E '^(left out|from)' "$dir/log"
for done in '1 passed, 0 failed' 'add_norm(M = 4096, N = 4096): 1 launch' 'from C: within 0\.'; do
    grep -q "^$done" "$dir/log"
    verdict $? "does not say '$done': $(tail -n 20 "$dir/log")"
done
nvcc=$(command -v nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && echo /usr/local/cuda/bin/nvcc; })
if [ -n "$nvcc" ]; then # no kernel is reached
    (cd "$dir/home/add_norm" && "$nvcc" -o no_gpu main.c add_norm.c -Xcompiler -no-pie -Xlinker --unresolved-symbols=ignore-all) >"$dir/log2" 2>&1
    said=$(CUDA_VISIBLE_DEVICES='' "$dir/home/add_norm/no_gpu" 2>&1)
    [[ $? = 1 && $said =~ ^add_norm_open:\ cuda[A-Za-z]*:\ [A-Za-z\ -]+$ ]]
    verdict $? "without a GPU the program says '$said' $(head -n 5 "$dir/log2")"
fi
[ $torch = 0 ] || grep -q '^from PyTorch: within 0\.' "$dir/log"
verdict $? 'PyTorch'
finish
