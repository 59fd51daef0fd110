// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/container/container_backend.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "runtime/backends/container/child.hpp"
#include "runtime/backends/container/container_source.hpp"
#include "runtime/backends/process/protection.hpp"
#include "runtime/backends/process/retention.hpp"
#include "runtime/backends/process/run_folder.hpp"
#include "runtime/backends/run/records.hpp"

namespace argosy::backends {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds trial_limit{20};

/// Runs a container that has nothing but the shim, to the end. Fails with what the kernel refuses.
result<void> try_once(const fs::path& place, const fs::path& shim, const std::string& crun,
                      const seccomp_filter& seccomp, bool own_network) {
  std::error_code code;
  const auto files = place / "files";
  const auto folder = place / "run";
  fs::create_directories(files, code);
  fs::copy_file(shim, files / "argosy-shim", code);
  if (code) return fail(system_error("copy '" + shim.string() + "'", code.value()));
  model::pod_container container;
  container.name = "trial";
  container.command = {"/argosy-shim", seccomp.profile.empty() ? "--help" : filter_word};
  const image_facts image{};
  const auto config = make_oci_config({&container,
                                       &image,
                                       (folder / crun_folder / "c0" / "root").string(),
                                       {},
                                       {},
                                       seccomp,
                                       ::geteuid() != 0,
                                       own_network,
                                       {}});
  if (!config) return fail(config.error());
  shim_plan plan;
  plan.run = "trial";
  plan.argv = {shim.string(), pod_word, folder.string()};
  plan.working_dir = work_folder;
  plan.lease_file = (place / "lease").string();
  plan.pod.crun = crun;
  plan.pod.own_network = own_network;
  plan.pod.keeps_crun = true;
  plan.pod.containers.push_back({"trial", false, files.string(), *config, 0, 0});
  const auto lease = encode(lease_record{boot_id(), {boot_now() + trial_limit}});
  if (auto written = write_file(plan.lease_file, *lease, sync_mode::no); !written) return written;
  auto lock = make_run_folder(folder, plan);
  if (!lock) return fail(std::move(lock.error()));
  auto started = spawn_shim(shim, folder, std::move(*lock));
  if (!started) return fail(std::move(started.error()));
  pollfd end{started->pidfd.get(), POLLIN, 0};
  ::poll(&end, 1, static_cast<int>(std::chrono::milliseconds{trial_limit}.count()));
  if (end.revents == 0) ::kill(started->pid, SIGKILL);
  ::waitpid(started->pid, nullptr, 0);
  const auto status = read_record<shim_status>(folder / run_file::status);
  if (!status) return fail(ec::timeout, "a trial did not end in time");
  if (status->reason == shim_status::completed) return {};
  return fail(ec::unavailable, status->message);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > bytes.size() ? '=' : digits[three >> (18 - 6 * k) & 63];
  }
  return out;
}

/// Tries everything once, and once more with the program that crun has made of the filter, which is
/// used if it holds as well.
result<void> try_containers(const container_config& config, const fs::path& shim,
                            const std::string& crun, seccomp_filter& seccomp) {
  const auto place = config.images / ".part-trial";
  remove_tree(place);
  auto out = try_once(place, shim, crun, seccomp, config.rules.own_network);
  const auto program = read_file(place / "run" / crun_folder / "state" / "c0" / "seccomp.bpf");
  remove_tree(place);
  if (!out || !program || program->empty()) return out;
  seccomp.program = base64(*program);
  if (!try_once(place, shim, crun, seccomp, config.rules.own_network)) seccomp.program.clear();
  remove_tree(place);
  return out;
}

std::string distribution_seccomp() {
  for (const char* file : {"/etc/containers/seccomp.json", "/usr/share/containers/seccomp.json"})
    if (const auto text = read_file(file))
      if (auto plain = plain_seccomp(*text); !plain.empty()) return plain;
  return {};
}

/// Whether a folder of a living run names the files.
bool is_used(const fs::path& runs_dir, const std::string& files) {
  std::error_code code;
  for (const auto& entry : fs::directory_iterator{runs_dir, code}) {
    if (!parse_run_folder(entry.path().filename().string())) continue;
    if (!shim_alive(entry.path()).value_or(true)) continue;
    const auto plan = read_record<shim_plan>(entry.path() / run_file::plan);
    if (!plan) return true;
    for (const auto& each : plan->pod.containers)
      if (each.image == files) return true;
  }
  return false;
}

/// Why there are no containers on this machine, or the source of their pods.
result<std::shared_ptr<pod_source>> make_source(const process_config& processes,
                                                const container_config& config) {
  container_source_config out;
  out.rules = config.rules;
  out.runs_dir = processes.runs_dir;
  out.crun = find_program("crun");
  out.crun_max = config.crun_max;
  out.images.skopeo = find_program("skopeo");
  out.images.umoci = find_program("umoci");
  std::string missing;
  for (const auto& [name, path] :
       {std::pair{"skopeo", out.images.skopeo}, {"umoci", out.images.umoci}, {"crun", out.crun}})
    if (path.empty()) missing += std::string{missing.empty() ? "" : ", "} + name;
  if (!missing.empty())
    return fail(ec::not_found, "this machine runs no images: install the packages " + missing +
                                   " (config/install-packages containers)");
  out.seccomp.profile = distribution_seccomp();
  out.one_id = ::geteuid() != 0;
  out.users = rules_of(processes);
  if (auto tried = try_containers(config, processes.shim, out.crun, out.seccomp); !tried)
    return fail(ec::unavailable, "this machine runs no images: " + tried.error().detail);
  if (out.seccomp.profile.empty() && processes.on_missing_protection)
    processes.on_missing_protection(
        "containers may make any system call, since there is no /usr/share/containers/seccomp.json:"
        " install the package golang-github-containers-common");
  out.images.folder = config.images;
  out.images.registries = config.rules.registries;
  out.images.auth_file = config.rules.auth_file;
  out.images.registries_conf = config.rules.registries_conf;
  out.images.size_max = config.rules.images_max;
  out.images.pull_timeout = config.rules.pull_timeout;
  out.images.lack_of_room = [processes] { return lack_of_room(processes); };
  out.images.in_use = [runs = processes.runs_dir](const std::string& files) {
    return is_used(runs, files);
  };
  return std::shared_ptr<pod_source>{std::make_shared<container_source>(std::move(out))};
}

}  // namespace

bool has_container_programs() {
  return !find_program("skopeo").empty() && !find_program("umoci").empty() &&
         !find_program("crun").empty();
}

result<std::unique_ptr<backend>> make_container_backend(process_config processes,
                                                        container_config containers,
                                                        event_sink sink) {
  std::error_code code;
  for (const auto& folder : {processes.runs_dir, containers.images}) {
    fs::create_directories(folder, code);
    if (code) return fail(system_error("make '" + folder.string() + "'", code.value()));
  }
  processes.runs_dir = fs::canonical(processes.runs_dir, code);
  containers.images = fs::canonical(containers.images, code);
  ::chmod(containers.images.c_str(), 0700);
  processes.shim = fs::absolute(processes.shim, code);
  processes.hidden.push_back(containers.images);
  auto source = make_source(processes, containers);
  if (source)
    processes.pods = std::move(*source);
  else if (!containers.or_processes)
    processes.no_pods = source.error().detail;
  else if (processes.on_missing_protection)
    processes.on_missing_protection(source.error().detail);
  return make_process_backend(std::move(processes), std::move(sink));
}

}  // namespace argosy::backends
