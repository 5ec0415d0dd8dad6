#include "compile/cubin.h"

#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

namespace gpuprobe::compile {
namespace {

// The layout of a cubin is not documented by NVIDIA. Names and formats of the records are those that
// `cuobjdump -elf` prints ("Attribute: EIATTR_REGCOUNT, Format: EIFMT_SVAL"). Their numbers, as decoded by
// CuAssembler (github.com/cloudcores/CuAssembler, CuAsm/CuKernelAssembler.py) and confirmed here on
// NVRTC 13.0 cubins of kernels whose facts are known (tests/unit/compile/cubin_test.cpp):
constexpr std::uint8_t kEiattrMaxThreads = 0x05;  ///< three u32: __launch_bounds__ as a block shape
constexpr std::uint8_t kEiattrReqntid = 0x10;     ///< three u32: the block shape that the kernel requires
constexpr std::uint8_t kEiattrFrameSize =
    0x11;  ///< u32 symbol, u32 bytes: stack frame of that function alone
constexpr std::uint8_t kEiattrMinStackSize =
    0x12;  ///< u32 symbol, u32 bytes: with the functions that it calls
constexpr std::uint8_t kEiattrKparamInfo =
    0x17;  ///< u32 index, u16 ordinal, u16 offset, u32 flags: size in 31..18
constexpr std::uint8_t kEiattrRegcount = 0x2f;  ///< u32 symbol, u32 registers per thread
constexpr std::uint8_t kEiattrKparamInfoV2 =
    0x45;  ///< as 0x17, for kernels with large parameters: size in 23..0
constexpr std::uint8_t kEiattrNumBarriers = 0x4c;  ///< u8: barriers used
// Formats of a record, its second byte being the attribute.
constexpr std::uint8_t kEifmtByte = 0x02;   ///< one byte, one of padding
constexpr std::uint8_t kEifmtSized = 0x04;  ///< u16 length, then so many bytes

constexpr unsigned char kStoCudaEntry = 0x10;   ///< st_other of a __global__ function
constexpr std::uint32_t kUnboundedStack = ~0u;  ///< EIATTR_MIN_STACK_SIZE of a recursive function
/// Barriers in the section flags of .text, written by toolkits before 13.0 in place of EIATTR_NUM_BARRIERS.
constexpr int kBarrierFlagShift = 20;
constexpr std::uint64_t kBarrierFlagMask = 0x7f;
/// Shared memory that the system takes for each block from CC 8.0. From CC 9.0 ptxas counts it in the section
/// of each kernel and says so by a section of its own; measured: 8192 declared bytes give 9216 for sm_90,
/// 8192 for sm_89.
constexpr std::string_view kReservedSharedSection = ".nv.shared.reserved.0";
constexpr std::uint32_t kReservedSharedBytes = 1024;

tl::unexpected<Error> broken(std::string what) {
  return fail(ErrorCode::kMachine, "The compiled kernel (cubin) cannot be read: " + std::move(what) + ".",
              "Report this together with the version of NVRTC (gpuprobe doctor).");
}

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};

/// A sequential reader that refuses to run past the end.
class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> data) : data_(data) {}
  bool at_end() const { return data_.empty(); }
  template <class T>
  std::optional<T> take() {
    if (data_.size() < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, data_.data(), sizeof value);
    data_ = data_.subspan(sizeof value);
    return value;
  }
  std::optional<std::span<const std::uint8_t>> take(std::size_t count) {
    if (data_.size() < count) return std::nullopt;
    const auto part = data_.first(count);
    data_ = data_.subspan(count);
    return part;
  }

 private:
  std::span<const std::uint8_t> data_;
};

/// One record of a .nv.info section.
struct Attribute {
  std::uint8_t id = 0;
  std::uint16_t value = 0;                ///< unless sized
  std::span<const std::uint8_t> payload;  ///< if sized
};

Result<std::vector<Attribute>> attributes(std::span<const std::uint8_t> section, std::string_view name) {
  std::vector<Attribute> result;
  for (Bytes bytes(section); !bytes.at_end();) {
    const auto format = bytes.take<std::uint8_t>();
    const auto id = bytes.take<std::uint8_t>();
    const auto value = bytes.take<std::uint16_t>();
    if (!format || !id || !value) return broken(fmt::format("section {} ends inside a record", name));
    Attribute attribute{*id, *value, {}};
    if (*format == kEifmtByte) attribute.value &= 0xff;
    if (*format == kEifmtSized) {
      const auto payload = bytes.take(*value);
      if (!payload) return broken(fmt::format("section {} ends inside record {:#x}", name, *id));
      attribute.payload = *payload;
    }
    result.push_back(attribute);
  }
  return result;
}

struct Section {
  std::string name;
  GElf_Shdr header{};
  std::span<const std::uint8_t> data;  ///< empty for SHT_NOBITS
};

/// What is collected about one entry function.
struct Entry {
  FunctionResources resources;
  std::optional<std::uint32_t> frame;
  std::optional<std::uint32_t> min_stack;
  std::optional<int> barriers;
  std::map<std::uint16_t, std::uint32_t> parameters;  ///< ordinal -> bytes
};

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> image) : image_(image) {}

  Result<std::vector<FunctionResources>> read() {
    if (elf_version(EV_CURRENT) == EV_NONE) return broken("libelf has another version");
    // elf_memory takes a mutable pointer but only reads through it unless asked to update.
    elf_.reset(elf_memory(reinterpret_cast<char*>(const_cast<std::uint8_t*>(image_.data())), image_.size()));
    if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF || gelf_getclass(elf_.get()) != ELFCLASS64)
      return broken("it is not a 64-bit ELF file");
    if (const Status ok = load_sections(); !ok) return tl::unexpected(ok.error());
    if (const Status ok = load_symbols(); !ok) return tl::unexpected(ok.error());
    for (const Section& section : sections_)
      if (const Status ok = visit(section); !ok) return tl::unexpected(ok.error());
    return finish();
  }

 private:
  Status load_sections() {
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf_.get(), &names) != 0) return broken("it has no section names");
    sections_.push_back({});  // index 0 is reserved; keeps sections_[i] the section of index i
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_.get(), scn)) != nullptr;) {
      Section section;
      if (gelf_getshdr(scn, &section.header) == nullptr) return broken("a section header is missing");
      const char* name = elf_strptr(elf_.get(), names, section.header.sh_name);
      if (name == nullptr) return broken("a section has no name");
      section.name = name;
      if (section.header.sh_type != SHT_NOBITS) {
        const auto& h = section.header;
        if (h.sh_offset > image_.size() || h.sh_size > image_.size() - h.sh_offset)
          return broken(fmt::format("section {} lies outside the file", section.name));
        section.data = image_.subspan(h.sh_offset, h.sh_size);
      }
      sections_.push_back(std::move(section));
    }
    return {};
  }

  Status load_symbols() {
    const auto table = std::find_if(sections_.begin(), sections_.end(),
                                    [](const Section& s) { return s.header.sh_type == SHT_SYMTAB; });
    if (table == sections_.end()) return broken("it has no symbol table");
    Bytes bytes(table->data);
    for (std::uint32_t index = 0; !bytes.at_end(); ++index) {
      const auto symbol = bytes.take<Elf64_Sym>();
      if (!symbol) return broken("its symbol table ends inside a symbol");
      const bool is_entry =
          ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && (symbol->st_other & kStoCudaEntry) != 0;
      if (!is_entry) continue;
      const char* name = elf_strptr(elf_.get(), table->header.sh_link, symbol->st_name);
      if (name == nullptr) return broken("an entry function has no name");
      by_symbol_[index] = entries_.size();
      by_name_[name] = entries_.size();
      entries_.emplace_back().resources.lowered_name = name;
    }
    return {};
  }

  Entry* entry_of(std::string_view section, std::string_view prefix) {
    if (!section.starts_with(prefix)) return nullptr;
    const auto found = by_name_.find(section.substr(prefix.size()));
    return found == by_name_.end() ? nullptr : &entries_[found->second];
  }

  Status visit(const Section& section) {
    if (section.name == ".nv.info") return module_info(section);
    if (section.name == kReservedSharedSection) counts_reserved_ = true;
    if (Entry* entry = entry_of(section.name, ".nv.info.")) return entry_info(section, *entry);
    if (Entry* entry = entry_of(section.name, ".nv.shared.")) {
      if (section.header.sh_size > UINT32_MAX) return broken(section.name + " has an impossible size");
      entry->resources.shared_static = static_cast<std::uint32_t>(section.header.sh_size);
    }
    if (Entry* entry = entry_of(section.name, ".text."))
      if (!entry->barriers)
        entry->resources.barriers =
            static_cast<int>((section.header.sh_flags >> kBarrierFlagShift) & kBarrierFlagMask);
    return {};
  }

  /// Records about any function of the module, each beginning with a symbol index.
  Status module_info(const Section& section) {
    const auto records = attributes(section.data, section.name);
    if (!records) return tl::unexpected(records.error());
    for (const Attribute& record : *records) {
      Bytes payload(record.payload);
      const auto symbol = payload.take<std::uint32_t>();
      const auto value = payload.take<std::uint32_t>();
      if (!symbol || !value) continue;
      const auto found = by_symbol_.find(*symbol);
      if (found == by_symbol_.end()) continue;  // a device function
      Entry& entry = entries_[found->second];
      if (record.id == kEiattrRegcount) entry.resources.registers = static_cast<int>(std::min(*value, 255u));
      if (record.id == kEiattrFrameSize) entry.frame = *value;
      if (record.id == kEiattrMinStackSize) entry.min_stack = *value;
    }
    return {};
  }

  Status entry_info(const Section& section, Entry& entry) {
    const auto records = attributes(section.data, section.name);
    if (!records) return tl::unexpected(records.error());
    for (const Attribute& record : *records) {
      Bytes payload(record.payload);
      if (record.id == kEiattrNumBarriers) entry.barriers = record.value;
      if (record.id == kEiattrMaxThreads || record.id == kEiattrReqntid) {
        const auto x = payload.take<std::uint32_t>();
        const auto y = payload.take<std::uint32_t>();
        const auto z = payload.take<std::uint32_t>();
        if (!x || !y || !z) return broken("a block limit is cut off");
        if (*x <= 1024 && *y <= 1024 && *z <= 64)
          entry.resources.max_threads = static_cast<int>(*x * *y * *z);
      }
      if (record.id == kEiattrKparamInfo || record.id == kEiattrKparamInfoV2) {
        payload.take<std::uint32_t>();
        const auto ordinal = payload.take<std::uint16_t>();
        payload.take<std::uint16_t>();
        const auto size = payload.take<std::uint32_t>();
        if (!ordinal || !size) return broken("a parameter's record is cut off");
        entry.parameters[*ordinal] = record.id == kEiattrKparamInfo ? *size >> 18 : *size & 0xffffff;
      }
    }
    return {};
  }

  Result<std::vector<FunctionResources>> finish() {
    std::vector<FunctionResources> result;
    for (Entry& entry : entries_) {
      FunctionResources& resources = entry.resources;
      if (resources.registers == 0)
        return broken(fmt::format("it has no register count for {}", resources.lowered_name));
      if (counts_reserved_ && resources.shared_static >= kReservedSharedBytes)
        resources.shared_static -= kReservedSharedBytes;
      const bool bounded = entry.min_stack && *entry.min_stack != kUnboundedStack;
      resources.local_bytes = bounded ? *entry.min_stack : entry.frame.value_or(0);
      if (entry.barriers) resources.barriers = *entry.barriers;
      for (const auto& [ordinal, bytes] : entry.parameters) {
        if (ordinal != resources.parameter_bytes.size())
          return broken(fmt::format("parameter {} of {} is missing", resources.parameter_bytes.size(),
                                    resources.lowered_name));
        resources.parameter_bytes.push_back(bytes);
      }
      result.push_back(std::move(resources));
    }
    return result;
  }

  std::span<const std::uint8_t> image_;
  std::unique_ptr<Elf, EndElf> elf_;
  std::vector<Section> sections_;
  std::vector<Entry> entries_;
  std::map<std::uint32_t, std::size_t> by_symbol_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
  bool counts_reserved_ = false;
};

}  // namespace

Result<std::vector<FunctionResources>> read_cubin(std::span<const std::uint8_t> cubin) {
  return Reader(cubin).read();
}

}  // namespace gpuprobe::compile
