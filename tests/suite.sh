# What suites share: `. tests/suite.sh`, from the project's folder. $dir is an empty folder of the suite's own; verdict, same and
# counted count; finish is a suite's last command.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0
verdict() { # STATUS WHAT
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED: $2"; fi
}
same() { # WHAT GOT EXPECTED
    [ "$2" = "$3" ]
    verdict $? "$1: got '$2', expected '$3'"
}
# A program that counts itself: its last line says how many.
counted() { # STATUS LOG
    local status=$1
    sed '$d' "$2"
    [[ $(tail -n 1 "$2") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] &&
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) || status=1
    [ "$status" = 0 ] || failed=$((failed + 1))
}
finish() {
    echo "$passed passed, $failed failed"
    [ $failed = 0 ]
}
