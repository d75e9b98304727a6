// Why a job waits, in words.
#pragma once

#include <string>

#include "core/report/run_picture.h"

namespace weir {

// "build app waits for process: needs 4, 1 free"
std::string wait_text(const RunPicture::Wait& wait);

}  // namespace weir
