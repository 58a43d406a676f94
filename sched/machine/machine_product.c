/* How long the library takes for products whose sizes no row has: see machine.h.
 *
 * What is interpolated is how many times as long a product takes as it must: as its operations at the peak, its bytes
 * at the bandwidth, and a load. That varies little with sizes, so that it may be carried beyond those that were
 * measured. Nearer rows count more, by the distance in the logarithms of m, n and k; a row of just these sizes counts
 * alone. */
#include "machine.h"

#include <math.h>

const Type machine_product_types[MACHINE_PRODUCT_TYPES] = {TY_BF16, TY_F32};

static double least(const Machine *on, Type t, double peak, double m, double n, double k) {
    const double bytes = (m * k + k * n + m * n) * type_bits(t) / 8;
    return 2 * m * n * k / peak + bytes / on->bandwidth + on->latency;
}

double machine_product_peak(const Machine *on, Type t, bool tf32) {
    if (type_bits(t) == 8) return 2 * on->products;
    if (type_bits(t) == 16) return on->products;
    if (t == TY_F32 && tf32) return on->products / 2;
    return 2.0 * on->target->lanes * on->sms * on->clock;
}

double machine_product_seconds(const Machine *on, Type t, double peak, double m, double n, double k) {
    double sum = 0, weight = 0;
    if (!(m > 0 && n > 0 && k > 0)) return 0;
    for (int i = 0; i < on->ntimes; i++) {
        const ProductTime *p = &on->times[i];
        const double pm = (double)p->m, pn = (double)p->n, pk = (double)p->k;
        if (p->type != t) continue;
        const double dm = log2(m / pm), dn = log2(n / pn), dk = log2(k / pk), far = dm * dm + dn * dn + dk * dk;
        if (!(far > 0)) return p->seconds;
        const double near = 1 / (far * far);
        sum += near * log(p->seconds / least(on, t, peak, pm, pn, pk));
        weight += near;
    }
    return weight > 0 ? least(on, t, peak, m, n, k) * exp(sum / weight) : 0;
}
