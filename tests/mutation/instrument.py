"""Puts mutants into an emitted .cu: each place that one may change gets a number, and the environment variable TD_MUTANT
chooses the one that is changed when the program runs, so that all mutants of a file are one compilation. TD_MUTANT_STEP
is how many elements a store moves, 1 otherwise. With TD_MUTANT_SEEN=FILE the program adds to the file the numbers of the places
that ran.

Only what the stand-in runs is changed: kernels, and the prelude's portable functions that the file prints."""
import re

# Deleted: barriers, fences, waits, and what the waits of other threads need.
DELETED = ("td_sync td_syncwarp td_cluster_sync td_mbar_fence td_async_fence td_mbar_wait td_mbar_arrive td_mbar_expect "
           "td_cp_wait td_cp_commit td_bulk_wait td_bulk_wait_read td_bulk_commit td_pdl_wait").split()
# Shifted: the first argument, an address, moves by one element.
SHIFTED = ("td_store td_store_v td_store_n td_st td_st_each td_sts td_cluster_sts td_cluster_send td_cp_async td_bulk_load td_bulk_store "
           "td_atomic_add td_atomic_max td_atomic_min td_adds td_adds_n td_adds_v").split()
# Atomics, which become plain stores too.
ATOMIC = [name for name in SHIFTED if name.startswith(("td_atomic_", "td_adds"))]
# Bodies left alone: a store counts where it is called.
WHOLE = ("td_store", "td_store_v", "td_store_n", "td_adds", "td_adds_n", "td_adds_v")
ARGUMENTS = re.compile(r"(?<=\w)<[\w\s,]*>\(") # of a template
CALL = re.compile(r"\b(td_[a-z_]+)(<[^()]*>)?\(")

HEADER = """#include <stdio.h>
#include <stdlib.h>
static struct td_mutants {
    int on, step;
    bool seen[%d];
    td_mutants() : on(getenv("TD_MUTANT") ? atoi(getenv("TD_MUTANT")) : 0), step(getenv("TD_MUTANT_STEP") ? atoi(getenv("TD_MUTANT_STEP")) : 1), seen() {}
    ~td_mutants() {
        FILE *f = getenv("TD_MUTANT_SEEN") ? fopen(getenv("TD_MUTANT_SEEN"), "a") : NULL;
        for (int i = 0; f && i < (int)(sizeof seen); i++)
            if (seen[i]) fprintf(f, "%%d\\n", i);
        if (f) fclose(f);
    }
} td_mutants_;
static inline bool td_mutant(int k) { return td_mutants_.seen[k] = true, td_mutants_.on == k; }
template <class T> static inline void td_plain(T *p, T v) {
    const td_word<T> w[1] = {(td_word<T>)v};
    if constexpr (sizeof(T) < 8) td_st<T, 1>(p, w);
    else *p = v;
}
template <int A, class T, int V, int H> static inline void td_plain(T *p, const td_word<T> *w) { td_st_each<T, V, H>(p, w, 0, V); }
template <int A, class T, int V, int H> static inline void td_plain(T *p, const td_word<T> *w, long long n) { td_st_each<T, V, H>(p, w, 0, n); }
template <int A, class T, int V, int H> static inline void td_plain(T *p, const td_word<T> *w, long long lo, long long hi) { td_st_each<T, V, H>(p, w, lo, hi); }
template <class P> static inline P td_mutant_at(int k, P p) { return td_mutant(k) ? p + td_mutants_.step : p; }
"""


def closing(text, at, stop=")"):
    """Where the bracket that is open at `at` ends, or the first of its arguments where stop is a comma."""
    depth = inside = 0
    for i in range(at, len(text)):
        if text[i] == "<" and ARGUMENTS.match(text, i):
            inside = ARGUMENTS.match(text, i).end() - 1
        if i < inside:
            continue
        if text[i] in "([{":
            depth += 1
        elif depth == 0 and text[i] in stop:
            return i
        elif text[i] in ")]}":
            depth -= 1
    return -1


def mutate_line(line, number, sites):
    out, at = "", 0
    for m in CALL.finditer(line):
        name, start = m.group(1), m.end()
        if m.start() < at or name not in DELETED and name not in SHIFTED:
            continue
        end = closing(line, start)
        assert end > 0, "a call over several lines: " + line
        k = len(sites) + 1
        sites.append({"line": number, "kind": name, "text": line.split(" //")[0].strip()})
        out += line[at:m.start()]
        if name in DELETED:
            out += "(td_mutant(%d) ? (void)0 : %s)" % (k, line[m.start():end + 1])
            at = end + 1
        elif name in ATOMIC:
            sites.append({"line": number, "kind": name + " as a store", "text": sites[-1]["text"]})
            first = closing(line, start, ",)")
            out += "(td_mutant(%d) ? (void)td_plain%s(%s : (void)%std_mutant_at(%d, %s)%s)" % (
                k + 1, m.group(2) or "", line[start:end + 1], m.group(0), k, line[start:first], line[first:end + 1])
            at = end + 1
        else:
            first = closing(line, start, ",)")
            out += "%std_mutant_at(%d, %s)" % (m.group(0), k, line[start:first])
            at = first
    return out + line[at:]


def instrument(text):
    """The text with all mutants, and the list of their places; the first is number 1."""
    lines, sites, outside, function = [], [], 0, "" # outside: conditions that are open of text that the stand-in has not
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("#ifndef TD_EMU") or (outside and line.startswith("#if")):
            outside += 1
        elif outside and line.startswith("#endif"):
            outside -= 1
        definition = re.match(r".*__(device|global)__.*? (\w+)\(", line)
        if definition:
            function = definition.group(2)
        if not outside and not definition and function not in WHOLE and not line.startswith("//"):
            line = mutate_line(line, number, sites)
        lines.append(line)
    last = max(i for i, line in enumerate(lines) if line.startswith("#include"))
    lines.insert(last + 1, HEADER % (len(sites) + 1))
    return "\n".join(lines), sites
