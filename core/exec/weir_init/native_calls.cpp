#include <sys/syscall.h>

#include "core/exec/weir_init/call_table.h"

namespace weir::init {
namespace {

#define CALL(number, rule) {number, CallRule::rule},
constexpr FilteredCall kFilteredNative[] = {
#include "core/exec/weir_init/filtered_calls.inc"
};

}  // namespace

constinit const CallTable kNativeCalls[2] = {call_table::make(kFilteredNative, false),
                                             call_table::make(kFilteredNative, true)};

}  // namespace weir::init
