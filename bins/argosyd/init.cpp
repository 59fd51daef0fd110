// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/init.hpp"

#include <iostream>
#include <utility>

#include "bins/shared/ending.hpp"
#include "runtime/access/credentials.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::argosyd {

namespace {

result<init_outcome> carry_out(const init_request& request) {
  std::optional<std::string> present;
  auto text = settings::read_file((request.folder / plan_file).string());
  if (text)
    present = std::move(*text);
  else if (text.error().code != ec::not_found)
    return fail(std::move(text.error()));
  std::error_code failed;
  if (!present && !request.changes() && std::filesystem::exists(request.folder, failed) &&
      !std::filesystem::is_empty(request.folder, failed))
    return fail(ec::conflict, "the folder '" + request.folder.string() +
                                  "' is not empty; name one that is, or that does not exist yet");
  auto made = plan_init(request, present, access::make_nkey);
  if (!made) return made;
  for (const auto& [path, content] : made->files)
    if (auto written = access::write_private(request.folder / path, content, true); !written)
      return fail(std::move(written.error()));
  return made;
}

/// Returns what is free on the disk of the folder, or of its nearest parent that exists; 0 if that
/// is unknown.
std::uint64_t free_bytes(std::filesystem::path folder) {
  std::error_code failed;
  while (!std::filesystem::exists(folder, failed) && folder.has_relative_path())
    folder = folder.parent_path();
  const auto space = std::filesystem::space(folder, failed);
  return failed ? 0 : space.available;
}

}  // namespace

int init(init_request request) {
  std::error_code failed;
  request.folder = std::filesystem::absolute(request.folder, failed).lexically_normal();
  // A path that ends with a slash has an empty last part.
  if (!request.folder.has_filename()) request.folder = request.folder.parent_path();
  request.disk_free_bytes = free_bytes(request.folder);
  for (auto* file : {&request.certificate, &request.certificate_key, &request.authority})
    if (!file->empty()) *file = std::filesystem::absolute(*file, failed).string();
  const auto made = carry_out(request);
  if (!made) return report("argosyd", made.error());
  std::cout << made->said;
  return 0;
}

}  // namespace argosy::argosyd
