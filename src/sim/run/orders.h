/* Inside run: a launch in one order, and in several. */
#ifndef NESO_SIM_RUN_ORDERS_H
#define NESO_SIM_RUN_ORDERS_H

#include "sim/sim_int.h"

SimSchedule sim_schedule(const SimLaunch *launch, unsigned number);
void sim_run_once(SimRun *run, SimSchedule schedule); /* races are the caller's to free */
unsigned sim_orders(const SimKernel *kernel, const SimLaunch *launch); /* in how many it is run */
void sim_run_orders(SimRun *run, unsigned count);

#endif
