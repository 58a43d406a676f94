/* The stand-in's runtime, one translation unit: link it with model.cu and model.c. */
#include "rt.h"

#include "cublasLt.h"
#include "td_half.h"
#include "td_small.h"

#include <cmath>

#define TD_EMU_NUMBERS __attribute__((weak))
#include "rt_numbers.h"

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
