// The folder of the program that runs: what belongs to it is found from there, installed or in a build tree.
#pragma once

#include <string>

namespace weir {

// Absolute; empty if the system does not tell.
std::string program_folder();

}  // namespace weir
