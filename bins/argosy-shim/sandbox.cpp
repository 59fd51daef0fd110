// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-shim/sandbox.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/backends/run/file.hpp"

namespace argosy::shim {

namespace {

using backends::system_error;
using backends::unique_fd;

failure refused(const std::string& what) {
  return fail(system_error(what, errno));
}

bool write_once(const char* path, const std::string& text) {
  const unique_fd fd{::open(path, O_WRONLY | O_CLOEXEC)};
  return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// Becomes root of a user namespace that has one id.
result<void> become_root() {
  const auto user = std::to_string(::geteuid());
  const auto group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER) != 0) return refused("make a user namespace for containers");
  if (!write_once("/proc/self/setgroups", "deny") ||
      !write_once("/proc/self/uid_map", "0 " + user + " 1") ||
      !write_once("/proc/self/gid_map", "0 " + group + " 1"))
    return refused("give the user namespace of containers its ids");
  return {};
}

/// crun takes no machine that has cgroups of both versions, though it is told to use none; and no
/// container is to see them, since user 0 may change them.
result<void> hide_cgroups() {
  const char* const place = "/sys/fs/cgroup";
  if (::access(place, F_OK) != 0 ||
      ::mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=64k") == 0)
    return {};
  return refused("cover '" + std::string{place} + "'");
}

/// Has a file or folder appear at `place`. Sets errno if that fails.
bool show(const unique_fd& source, const std::filesystem::path& place) {
  struct stat info {};
  if (::fstat(source.get(), &info) != 0) return false;
  const bool made = S_ISDIR(info.st_mode)
                        ? ::mkdir(place.c_str(), 0700) == 0
                        : static_cast<bool>(unique_fd{::open(
                              place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)});
  return made && ::mount(backends::descriptor_path(source).c_str(), place.c_str(), nullptr,
                         MS_BIND | MS_REC, nullptr) == 0;
}

result<void> bring_loopback_up() {
  const unique_fd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  ifreq request{};
  std::strncpy(request.ifr_name, "lo", IFNAMSIZ - 1);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (socket && ::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0) return {};
  return refused("bring the loopback interface of the pod up");
}

}  // namespace

result<void> enter_sandbox(const backends::pod_plan& pod) {
  if (::geteuid() != 0)
    if (auto done = become_root(); !done) return done;
  const int network = pod.own_network ? CLONE_NEWNET : 0;
  if (::unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | network) != 0)
    return refused("make the namespaces of a pod");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
    return refused("keep the mounts of a pod from the machine");
  if (auto done = hide_cgroups(); !done) return done;
  if (!pod.hostname.empty() && ::sethostname(pod.hostname.data(), pod.hostname.size()) != 0)
    return refused("name the pod '" + pod.hostname + "'");
  return pod.own_network ? bring_loopback_up() : result<void>{};
}

unique_fd read_only(const std::string& program) {
  unique_fd out{static_cast<int>(
      ::syscall(SYS_open_tree, AT_FDCWD, program.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC))};
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  if (!out || ::syscall(SYS_mount_setattr, out.get(), "", AT_EMPTY_PATH, &attributes,
                        sizeof attributes) != 0)
    return {};
  return out;
}

result<void> make_crun_folder(const backends::pod_plan& pod, const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0) return refused("make '" + folder.string() + "'");
  if (pod.keeps_crun ||
      ::mount("tmpfs", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700") == 0)
    return {};
  return refused("make a folder in memory for crun");
}

result<void> mount_root(const backends::container_plan& container,
                        const std::filesystem::path& folder, const std::filesystem::path& work,
                        std::size_t number) {
  const auto root = folder / "root";
  const auto upper = work / ("c" + std::to_string(number));
  const auto kernels = work / ("w" + std::to_string(number));
  for (const auto& each : {folder, root, upper, kernels})
    if (::mkdir(each.c_str(), 0755) != 0) return refused("make '" + each.string() + "'");
  // Commas and colons have a meaning in these options, and neither is in the names that are used.
  const auto data = "lowerdir=" + container.image + ",upperdir=" + upper.string() +
                    ",workdir=" + kernels.string();
  // Without `volatile` the kernel writes the whole disk of the runs out when the mount goes, though
  // nobody reads the files any more.
  for (const char* more : {",volatile", ",volatile,userxattr", "", ",userxattr"})
    if (::mount("overlay", root.c_str(), "overlay", MS_NOSUID | MS_NODEV, (data + more).c_str()) ==
        0)
      return {};
  return refused("put the file system of container '" + container.name + "' together");
}

result<void> show_path(const std::string& path, const std::filesystem::path& place) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  const unique_fd source{
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how))};
  if (!source) return refused("find '" + path + "' again");
  return show(source, place) ? result<void>{} : refused("show '" + path + "' to the pod");
}

result<void> show_part(const std::filesystem::path& volume, const std::string& part,
                       const std::filesystem::path& place) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  unique_fd at{::open(volume.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  const auto before = ::umask(0);
  for (const auto& name : std::filesystem::path{part}) {
    if (name.empty()) continue;
    ::mkdirat(at.get(), name.c_str(), 0777);
    at = unique_fd{
        static_cast<int>(::syscall(SYS_openat2, at.get(), name.c_str(), &how, sizeof how))};
    if (!at) break;
  }
  const int why = errno;
  ::umask(before);
  errno = why;
  return at && show(at, place) ? result<void>{} : refused("show '" + part + "' of a volume");
}

result<void> make_volume(const backends::volume_plan& volume, const std::filesystem::path& folder) {
  // Whatever user a container has may write there, as Kubernetes has it.
  if (::mkdir(folder.c_str(), 0777) != 0 || ::chmod(folder.c_str(), 0777) != 0)
    return refused("make '" + folder.string() + "'");
  if (!volume.in_memory) return {};
  const auto size = volume.size_max > 0 ? ",size=" + std::to_string(volume.size_max) : "";
  if (::mount("tmpfs", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV,
              ("mode=0777" + size).c_str()) == 0)
    return {};
  return refused("make a volume in memory");
}

}  // namespace argosy::shim
