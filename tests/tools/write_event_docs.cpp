// Prints docs/events.md.
#include <cstdio>

#include "core/model/event.h"

int main() { std::fputs(weir::event_documentation().c_str(), stdout); }
