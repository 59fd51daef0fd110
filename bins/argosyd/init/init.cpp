// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/init/init.hpp"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <ranges>
#include <utility>

#include "bins/shared/ending.hpp"
#include "bins/shared/options.hpp"
#include "runtime/access/credentials.hpp"
#include "runtime/kube/credentials/kubeconfig.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::argosyd {

namespace {

/// Makes the folder, which the nats-server may have to read, and that of its log. A log that lies
/// there already is another deployment's.
result<void> make_folders(const init_request& request, const std::filesystem::path& store) {
  std::error_code failed;
  if (!request.changes() && std::filesystem::exists(store / "jetstream", failed))
    return fail(ec::conflict, "'" + store.string() +
                                  "' has the log of another nats-server; name another folder with "
                                  "--store-dir, or move that one away");
  for (const auto& [folder, mode] : {std::pair{request.folder, 0755u}, std::pair{store, 0700u}}) {
    if (std::filesystem::exists(folder, failed)) continue;
    if (std::filesystem::create_directories(folder, failed); !failed)
      std::filesystem::permissions(folder, std::filesystem::perms{mode}, failed);
    if (failed)
      return fail(ec::denied,
                  "cannot make the folder '" + folder.string() + "': " + failed.message());
  }
  return {};
}

/// A folder that was given to another user, as the package argosy-server does with /etc/argosy, is
/// filled by that user: what root made there nobody else could read.
result<void> become_owner(const std::filesystem::path& folder) {
  struct stat found {};
  if (::geteuid() != 0 || ::stat(folder.c_str(), &found) != 0 || found.st_uid == 0) return {};
  if (::setgroups(0, nullptr) == 0 && ::setegid(found.st_gid) == 0 && ::seteuid(found.st_uid) == 0)
    return {};
  return fail(ec::denied, "cannot become the user " + std::to_string(found.st_uid) + ", who has '" +
                              folder.string() + "'; say this as that user");
}

result<init_outcome> carry_out(const init_request& request) {
  if (auto done = become_owner(request.folder); !done) return fail(std::move(done.error()));
  const auto present = [&](const std::filesystem::path& file) {
    return settings::read_file((request.folder / file).string());
  };
  std::error_code failed;
  if (!std::filesystem::exists(request.folder / plan_file, failed) && !request.changes() &&
      std::filesystem::exists(request.folder, failed) &&
      !std::filesystem::is_empty(request.folder, failed))
    return fail(ec::conflict, "the folder '" + request.folder.string() +
                                  "' is not empty; name one that is, or that does not exist yet");
  auto made = plan_init(request, present, access::make_nkey);
  if (!made) return made;
  if (auto ready = make_folders(request, made->store); !ready) return fail(ready.error());
  for (const auto& [path, content, is_public] : made->files) {
    const auto file = request.folder / path;
    if (auto written = access::write_private(file, content, true); !written)
      return fail(std::move(written.error()));
    if (is_public && ::chmod(file.c_str(), 0644) != 0)
      return fail(ec::internal, "cannot make '" + file.string() + "' readable for the nats-server");
  }
  return made;
}

/// Reads what the files that KUBECONFIG names, or ~/.kube/config, say of the context.
result<kube_target> target_of(const std::string& context) {
  const char* named = std::getenv("KUBECONFIG");
  const char* home = std::getenv("HOME");
  const auto usual =
      (std::filesystem::path{home != nullptr ? home : "/"} / ".kube/config").string();
  const std::string paths = named != nullptr && *named != '\0' ? named : usual;
  std::vector<kube::kubeconfig_file> files;
  for (const auto part : std::views::split(paths, ':')) {
    std::string path{part.begin(), part.end()};
    auto text =
        path.empty() ? result<std::string>{fail(ec::not_found, "")} : settings::read_file(path);
    if (text) files.push_back({std::move(path), std::move(*text)});
  }
  if (files.empty())
    return fail(ec::not_found, "--kubernetes: no kubeconfig file can be read: " + paths +
                                   "; set KUBECONFIG to one");
  const auto access = kube::read_kubeconfigs(files, {.context = context});
  if (!access) return fail(ec::invalid_argument, "--kubernetes: " + access.error().detail);
  kube_target out{context, access->server, access->authorities.text, access->tls_name,
                  access->proxy};
  if (access->authorities.file.empty()) return out;
  auto read = settings::read_file(access->authorities.file);
  if (!read) return fail(ec::invalid_argument, "--kubernetes: " + read.error().detail);
  out.authorities = std::move(*read);
  return out;
}

/// The folder below which this user's programs have their settings.
std::filesystem::path config_home() {
  if (const char* set = std::getenv("XDG_CONFIG_HOME"); set != nullptr && *set != '\0') return set;
  const char* home = std::getenv("HOME");
  return std::filesystem::path{home != nullptr ? home : "/"} / ".config";
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

/// The nats-server may be on another machine, so that it is no error.
void tell_of_missing_files(const init_request& request) {
  std::error_code failed;
  for (const auto& [option, file] :
       {std::pair{"--tls-cert", request.certificate},
        std::pair{"--tls-key", request.certificate_key}, std::pair{"--tls-ca", request.authority}})
    if (!file.empty() && !std::filesystem::exists(file, failed))
      std::cerr << "WARNING: " << option << " names " << file
                << ", which is not there on this machine; put it there before you start whoever "
                   "reads it\n";
}

}  // namespace

int init(init_request request) {
  std::error_code failed;
  request.folder = std::filesystem::absolute(request.folder, failed).lexically_normal();
  // A path that ends with a slash has an empty last part.
  if (!request.folder.has_filename()) request.folder = request.folder.parent_path();
  if (!request.store.empty()) request.store = std::filesystem::absolute(request.store, failed);
  const auto state = user_state_dir().parent_path();
  request.state = state_of(request.folder, config_home(), state);
  request.disk_free_bytes = free_bytes(!request.store.empty()   ? request.store
                                       : !request.state.empty() ? request.state
                                                                : request.folder);
  for (auto* file : {&request.certificate, &request.certificate_key, &request.authority})
    if (!file->empty()) *file = std::filesystem::absolute(*file, failed).string();
  if (!request.context.empty()) {
    auto target = target_of(request.context);
    if (!target) return report("argosyd", target.error());
    request.kubernetes = std::move(*target);
  }
  const auto made = carry_out(request);
  if (!made) return report("argosyd", made.error());
  std::cout << made->said;
  tell_of_missing_files(request);
  return 0;
}

}  // namespace argosy::argosyd
