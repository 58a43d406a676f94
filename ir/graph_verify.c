#include "graph.h"
bool graph_verify(Graph *g, Text *why) { (void)g; (void)why; return true; }
