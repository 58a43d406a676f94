#!/bin/bash
# Options: each value of ir/options.def that something is done for shows in what is emitted, and each other one is refused by name.
# clause 9.10
cd "$(dirname "$0")/../.." || exit 1
export TDC_HOME=$PWD
TDC=$(realpath "${TDC:-build/tdc}")
. tests/suite.sh

# What an entry is emitted as, with an option or without: kernels and host.
emitted() { # STATEMENT
    printf '%s\n' "$1" "$program" >"$dir/model.td"
    "$TDC" "$dir/model.td" -o "$dir/model.cu" 2>"$dir/log" && cat "$dir/model.cu" "$dir/model.c"
}
# In how many lines the pattern stands, without the option and with it.
shows() { # OPTION VALUE PATTERN
    local without with
    without=$(emitted '' | grep -cE -- "$3") with=$(emitted "option $1 = $2;" | grep -cE -- "$3")
    [ "$with" != "$without" ]
    verdict $? "option $1 = $2 leaves $with lines of /$3/, as without it: $(cat "$dir/log")"
}
product='export fn f(a: f32[M, K], b: f32[K, N]) -> (y: f32[M, N]) { y[m, n] = sum[k](a[m, k] * b[k, n]); }'
function='export fn f(x: f32[N]) -> (y: f32[N]) { y[i] = exp(x[i]); }'
update='export fn f(x: f32[N, 64], ids: i32[N]) -> (y: f32[V, 64]) { y[v, d] = sum[n where ids[n] == v](x[n, d]); }
bench f(N = 8192, V = 1024);'

seen=
while IFS=' ,()' read -r row option _ value when _; do
    [ "$row" = OPTION ] && default=1
    [ "$row" = OPTION_VALUE ] || continue
    name=${option,,}
    if [ "$when" = LATER ]; then
        for program in "$product" "export fn f(x: f32[N]) -> (y: f32[N]) { option $name = $value; y[i] = x[i]; }"; do
            statement=
            [ "$program" = "$product" ] && statement="option $name = $value;"
            ! emitted "$statement" >"$dir/out"
            verdict $? "option $name = $value is taken"
            same "errors of option $name = $value" "$(grep -c "error\[E0002\]: option $name = $value: not yet" "$dir/log")" 1
        done
    elif [ -z "$default" ]; then
        case $name-$value in
        matmul-tf32) program=$product && shows $name $value 'COMPUTE_32F_FAST_TF32' ;;
        matmul-bf16) program=$product && shows $name $value 'td_bf16' ;;
        matmul-f16) program=$product && shows $name $value 'td_f16' ;;
        math-fast) program=$function && shows $name $value 'td_fast_exp|__expf|ex2\.approx' ;;
        atomics-fast) program=$update && shows $name $value 'td_(atomic_add|adds)[<(_].*y_at' ;;
        *) verdict 1 "no test sees option $name = $value" ;;
        esac
        seen=1
    fi
    default=
done <ir/options.def
verdict $((1 - ${seen:-0})) "ir/options.def has no rows"
finish
