/* tdc, the command. */
#include "driver.h"

#ifndef TDC_COMMIT /* the Makefile's */
#define TDC_COMMIT ""
#endif

int main(int argc, char **argv) { return driver_main(argc, argv, TDC_COMMIT); }
