/* The stand-in's runtime, one translation unit: link it with model.cu and model.c. */
#define TD_EXACT_TYPES_ONLY
#include "rt.h"

#include "cublasLt.h"
#include "td_half.h"
#include "td_small.h"

#include <cmath>

td_emu_thread *td_emu_self;

namespace emu {
Holder holder;
#include "rt_report.h"
#include "rt_fiber.h"
#include "rt_shadow.h"
#include "rt_sync.h"
#include "rt_async.h"
#include "rt_launch.h"
#include "rt_host.h"
#include "rt_library.h"
} // namespace emu
