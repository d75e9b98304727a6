// The files of a project on disk: where weir.toml is, which element files there are, and their bytes. Never
// hangs on a fifo, follows no symbolic link to a folder (a loop would have no end), and turns every failure
// into a diagnostic.
#pragma once

#include <fcntl.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fd.h"
#include "core/base/result.h"
#include "core/project/diagnostic.h"

namespace weir {

struct ElementFile {
  std::string name;  // "base/zlib"
  std::string path;  // "elements/base/zlib.toml", below the root
};

// The folder of the nearest weir.toml, `directory` first and then upwards as git does; nothing if there is
// none. The answer is relative if `directory` is ("..", "sub/..").
std::optional<std::string> find_project(std::string_view directory);

// A folder that was listed; its stamp is of before that, and 0 if it was not there.
struct ListedFolder {
  std::string path;  // below the root
  FileStamp stamp;
};

// All **.toml below root/folder, sorted by name; hidden files and folders are left out. A missing folder is
// empty.
std::vector<ElementFile> list_element_files(const std::string& root, const std::string& folder,
                                            std::vector<ListedFolder>& listed, Diagnostics& diagnostics);
inline std::vector<ElementFile> list_element_files(const std::string& root, const std::string& folder,
                                                   Diagnostics& diagnostics) {
  std::vector<ListedFolder> listed;
  return list_element_files(root, folder, listed, diagnostics);
}

// How a file is opened that may be anything. O_NONBLOCK: opening a fifo must not wait for its writer.
inline constexpr int kReadFile = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

// The bytes of a regular file; the message of an error begins with "cannot be read". `stamp` becomes what it
// was read under.
Result<std::string> read_file(const std::string& path, FileStamp* stamp = nullptr);
// Of what was just opened: without a descriptor errno says why not.
Result<std::string> read_opened(const UniqueFd& fd, FileStamp* stamp = nullptr);

}  // namespace weir
