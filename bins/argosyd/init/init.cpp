// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/init/init.hpp"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <ranges>
#include <string_view>
#include <utility>

#include "bins/shared/ending.hpp"
#include "bins/shared/options.hpp"
#include "runtime/access/credentials.hpp"
#include "runtime/kube/credentials/kubeconfig.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::argosyd {

namespace {

/// Within its life root is the user of a folder that was given to one: what root makes there nobody
/// else could read, and where that user may write, he could have root write elsewhere.
class as_owner {
 public:
  explicit as_owner(const std::filesystem::path& folder) {
    struct stat found {};
    if (::geteuid() != 0 || ::stat(folder.c_str(), &found) != 0 || found.st_uid == 0) return;
    changed_ = true;
    if (::setgroups(0, nullptr) != 0 || ::setegid(found.st_gid) != 0 ||
        ::seteuid(found.st_uid) != 0)
      failure_ = "cannot become the user " + std::to_string(found.st_uid) + ", who has '" +
                 folder.string() + "'; say this as that user";
  }
  ~as_owner() {
    if (changed_ && (::seteuid(0) != 0 || ::setegid(0) != 0)) ::abort();
  }
  as_owner(const as_owner&) = delete;
  as_owner& operator=(const as_owner&) = delete;

  [[nodiscard]] result<void> done() const {
    return failure_.empty() ? result<void>{} : fail(ec::denied, failure_);
  }

 private:
  bool changed_ = false;
  std::string failure_;
};

result<void> make_folder(const std::filesystem::path& folder, unsigned mode) {
  std::error_code failed;
  if (std::filesystem::exists(folder, failed)) return {};
  if (std::filesystem::create_directories(folder, failed); !failed)
    std::filesystem::permissions(folder, std::filesystem::perms{mode}, failed);
  if (!failed) return {};
  return fail(ec::denied, "cannot make the folder '" + folder.string() + "': " + failed.message());
}

/// Makes the folder, which the nats-server may have to read, and that of its log. A log that lies
/// there already is another deployment's. With the packages what the programs keep is theirs, and
/// the folder is root's and of their group.
result<void> make_folders(const init_request& request, const std::filesystem::path& store) {
  std::error_code failed;
  const bool is_new = !std::filesystem::exists(request.folder, failed);
  if (auto made = make_folder(request.folder, 0755); !made) return made;
  struct stat kept {};
  if (is_new && ::geteuid() == 0 && ::stat(request.state.c_str(), &kept) == 0 &&
      ::chown(request.folder.c_str(), 0, kept.st_gid) != 0)
    return fail(ec::internal, "cannot give '" + request.folder.string() + "' to its group");
  const as_owner owner{request.state};
  if (auto done = owner.done(); !done) return done;
  if (!request.changes() && std::filesystem::exists(store / "jetstream", failed))
    return fail(ec::conflict, "'" + store.string() +
                                  "' has the log of another nats-server; name another folder with "
                                  "--store-dir, or move that one away");
  return make_folder(store, 0700);
}

/// Lets those read the file who have to. The group of root's folder is that of argosyd, if it is
/// another than root's, as with the packages; it may read, and root alone writes.
result<void> give_to_readers(const std::filesystem::path& folder, const init_file& made) {
  const auto file = folder / made.path;
  if (made.is_public && ::chmod(file.c_str(), 0644) != 0)
    return fail(ec::internal, "cannot make '" + file.string() + "' readable for the nats-server");
  struct stat found {};
  if (!is_of_argosyd(made.path) || ::geteuid() != 0 || ::stat(folder.c_str(), &found) != 0 ||
      found.st_gid == 0)
    return {};
  const auto give = [&](const std::filesystem::path& what, mode_t mode) {
    return ::chown(what.c_str(), 0, found.st_gid) == 0 && ::chmod(what.c_str(), mode) == 0;
  };
  if (give(file, 0640) && (file.parent_path() == folder || give(file.parent_path(), 0750)))
    return {};
  return fail(ec::internal, "cannot make '" + file.string() + "' readable for argosyd");
}

result<init_outcome> carry_out(const init_request& request) {
  const as_owner owner{request.folder};
  if (auto done = owner.done(); !done) return fail(done.error());
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
  for (const auto& each : made->files) {
    auto done = access::write_private(request.folder / each.path, each.text, true);
    if (done) done = give_to_readers(request.folder, each);
    if (!done) return fail(std::move(done.error()));
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
