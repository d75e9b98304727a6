#include "plugins/host/library_file.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>

#include "core/base/fd.h"

namespace weir {

namespace {

#if defined(__x86_64__)
constexpr auto kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr auto kMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr auto kMachine = EM_RISCV;
#else
constexpr auto kMachine = EM_NONE;  // not known: not checked
#endif

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_386: return "32-bit x86";
    case EM_X86_64: return "x86-64";
    case EM_ARM: return "32-bit ARM";
    case EM_AARCH64: return "ARM64";
    case EM_RISCV: return "RISC-V";
    case EM_PPC64: return "POWER";
    case EM_S390: return "S/390";
    default: return fmt::format("a machine with the number {}", machine);
  }
}

std::string machine_name(const Elf64_Ehdr& head) {
  const auto name = machine_name(head.e_machine);
  if (head.e_ident[EI_CLASS] != ELFCLASS64 && !name.starts_with("32-bit")) return "32-bit " + name;
  return head.e_ident[EI_DATA] == ELFDATA2LSB ? name : "big-endian " + name;
}

class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat facts {};
    if (file.get() < 0 || ::fstat(file.get(), &facts) != 0) {
      error_ = errno;
      return;
    }
    is_file_ = S_ISREG(facts.st_mode);
    if (!is_file_ || facts.st_size == 0) return;
    size_ = static_cast<std::size_t>(facts.st_size);
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (data_ == MAP_FAILED) error_ = errno;
  }
  ~MappedFile() {
    if (data_ && data_ != MAP_FAILED) ::munmap(data_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  int error() const { return error_; }
  bool is_file() const { return is_file_; }
  bool is_empty() const { return size_ == 0; }
  bool covers(std::uint64_t offset, std::uint64_t bytes) const {
    return offset <= size_ && bytes <= size_ - offset;
  }
  // A copy: nothing says that it is aligned.
  template <class T>
  std::optional<T> read(std::uint64_t offset) const {
    if (!covers(offset, sizeof(T))) return std::nullopt;
    T value;
    std::memcpy(&value, static_cast<const char*>(data_) + offset, sizeof value);
    return value;
  }
  // Up to the next zero.
  std::optional<std::string_view> text(std::uint64_t offset) const {
    if (offset >= size_) return std::nullopt;
    const auto* start = static_cast<const char*>(data_) + offset;
    return std::string_view(start, ::strnlen(start, size_ - offset));
  }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
  int error_ = 0;
  bool is_file_ = false;
};

tl::unexpected<Error> cut_short() {
  return fail(Reason::project, "the file is cut short", "copy or build it again");
}

Result<Elf64_Ehdr> header_of(const MappedFile& file) {
  if (file.error() != 0)
    return fail(Reason::project, fmt::format("cannot be read: {}", std::strerror(file.error())),
                file.error() == EACCES ? "chmod a+r makes it readable"
                                       : "put the library there, or take away what is there");
  if (!file.is_file())
    return fail(Reason::project, "is no file", "put the library there, or take away what is there");
  if (file.is_empty()) return fail(Reason::project, "is empty", "copy or build it again");
  const auto magic = file.read<std::array<char, 4>>(0);
  if (!magic || std::memcmp(magic->data(), ELFMAG, SELFMAG) != 0)
    return fail(Reason::project, "is no shared library (not an ELF file)",
                "plugins are built with weir_add_plugin(); see docs/plugins.md");
  const auto head = file.read<Elf64_Ehdr>(0);
  if (!head) return cut_short();
  const bool foreign = head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB;
  if (kMachine != EM_NONE && (foreign || head->e_machine != kMachine))
    return fail(Reason::project,
                fmt::format("is for another machine ({}; this one is {})", machine_name(*head),
                            machine_name(kMachine)),
                "build it for this one");
  if (head->e_type != ET_DYN)
    return fail(Reason::project, "is no shared library", "link it with -shared; weir_add_plugin() does");
  return *head;
}

}  // namespace

Status check_library_file(const std::string& path) {
  const MappedFile file(path);
  const auto head = header_of(file);
  if (!head) return tl::unexpected(head.error());
  for (unsigned i = 0; i < head->e_phnum; ++i) {
    const auto part = file.read<Elf64_Phdr>(head->e_phoff + std::uint64_t{i} * head->e_phentsize);
    if (!part || (part->p_type != PT_NULL && !file.covers(part->p_offset, part->p_filesz)))
      return cut_short();
  }
  return {};
}

Result<std::vector<std::string>> exported_symbols(const std::string& path) {
  const MappedFile file(path);
  const auto head = header_of(file);
  if (!head) return tl::unexpected(head.error());
  const auto section = [&](unsigned i) {
    return file.read<Elf64_Shdr>(head->e_shoff + std::uint64_t{i} * head->e_shentsize);
  };
  std::vector<std::string> names;
  for (unsigned i = 0; i < head->e_shnum; ++i) {
    const auto symbols = section(i);
    if (!symbols) return cut_short();
    if (symbols->sh_type != SHT_DYNSYM) continue;
    const auto texts = section(symbols->sh_link);
    if (!texts || !file.covers(symbols->sh_offset, symbols->sh_size)) return cut_short();
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols->sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = file.read<Elf64_Sym>(symbols->sh_offset + at);
      const bool exported = symbol->st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) != STB_LOCAL;
      if (!exported) continue;
      if (const auto name = file.text(texts->sh_offset + symbol->st_name)) names.emplace_back(*name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace weir
