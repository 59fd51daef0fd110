// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/upkeep/manifest.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "runtime/logging/line.hpp"

namespace argosy::argosyd {

namespace {

constexpr std::string_view first_line = "argosy-backup 1";
constexpr std::string_view last_line = "end";
constexpr std::array<std::string_view, 3> names{"store/data.mdb", "log.key", "argosyd.yaml"};

template <class Number>
bool take(std::string_view text, Number& out, int base = 10) {
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out, base);
  return read.ec == std::errc{} && read.ptr == end;
}

bool take_file(std::string_view text, backup_manifest& out) {
  std::istringstream words{std::string{text}};
  backup_file file;
  std::string bytes;
  std::string more;
  if (!(words >> file.sha256 >> bytes >> file.name) || words >> more) return false;
  const bool digits = file.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!digits || file.sha256.size() != 64 || !take(bytes, file.bytes)) return false;
  if (std::ranges::find(names, file.name) == names.end()) return false;
  out.files.push_back(std::move(file));
  return true;
}

bool take_line(std::string_view word, std::string_view rest, backup_manifest& out) {
  if (word == "time") return true;
  if (word == "time-ns") return take(rest, out.time_ns);
  if (word == "generation") return take(rest, out.generation.value);
  if (word == "epoch") return take(rest, out.epoch.value);
  if (word == "position") return take(rest, out.position.value);
  if (word == "hash") return take(rest, out.hash, 16);
  if (word == "file") return take_file(rest, out);
  if (word != "control-plane") return false;
  out.control_plane = rest;
  return true;
}

}  // namespace

std::string print_manifest(const backup_manifest& manifest) {
  std::ostringstream out;
  out << first_line << "\ntime " << logging::utc_text(from_nanos(manifest.time_ns)) << "\ntime-ns "
      << manifest.time_ns << "\ngeneration " << manifest.generation.value << "\nepoch "
      << manifest.epoch.value << "\nposition " << manifest.position.value << "\nhash " << std::hex
      << manifest.hash << std::dec << '\n';
  if (!manifest.control_plane.empty()) out << "control-plane " << manifest.control_plane << '\n';
  for (const auto& file : manifest.files)
    out << "file " << file.sha256 << ' ' << file.bytes << ' ' << file.name << '\n';
  out << last_line << '\n';
  return out.str();
}

result<backup_manifest> parse_manifest(std::string_view text) {
  backup_manifest out;
  std::istringstream lines{std::string{text}};
  std::string line;
  if (!std::getline(lines, line) || line != first_line)
    return fail(ec::corrupt,
                "the first line of the backup's list is not '" + std::string{first_line} + "'");
  while (std::getline(lines, line) && line != last_line) {
    const auto space = line.find(' ');
    const auto rest = space == std::string::npos ? std::string{} : line.substr(space + 1);
    if (!take_line(line.substr(0, space), rest, out))
      return fail(ec::corrupt, "the backup's list has a line that makes no sense: " + line);
  }
  if (line != last_line || std::getline(lines, line))
    return fail(ec::corrupt, "the backup's list does not end as it should: a part is missing");
  if (std::ranges::none_of(out.files, [](const auto& file) { return file.name == names[0]; }))
    return fail(ec::corrupt, "the backup's list names no store");
  return out;
}

}  // namespace argosy::argosyd
