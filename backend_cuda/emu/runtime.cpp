/* The stand-in's runtime, one translation unit: link it with model.cu and model.c. */
#include "rt.h"

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
} // namespace emu
