// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/container/container_source.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

#include "runtime/access/pods/pod_policy.hpp"
#include "runtime/backends/process/retention.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/model/amounts.hpp"

namespace argosy::backends {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t pullers = 4;

/// A text that is the name of one file below a folder.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 253 && name != "." && name != ".." &&
         name.find('/') == std::string::npos;
}

bool is_within(const fs::path& path, const fs::path& folder) {
  return path == folder || path.string().starts_with(folder.string() + "/") || folder == "/";
}

}  // namespace

std::vector<std::string> read_cdi_files() {
  std::vector<std::string> out;
  for (const char* folder : {"/etc/cdi", "/var/run/cdi"}) {
    std::error_code code;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator{folder, code})
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    for (const auto& file : files)
      if (auto text = read_file(file)) out.push_back(std::move(*text));
  }
  return out;
}

container_source::container_source(container_source_config config)
    : config_(std::move(config)), images_(config_.images), users_(config_.users) {
  for (std::size_t i = 0; i < pullers; ++i) pulling_.push_back(std::make_unique<work_thread>());
}

void container_source::shutdown() {
  images_.stop();
  looking_.stop();
  for (const auto& each : pulling_) each->stop();
}

bool container_source::make_room() {
  auto away = images_.put_oldest_away();
  if (away.empty()) return false;
  // Pulls end where the disk has no room, so that this begins soon.
  pulling_.front()->post([away = std::move(away)] { remove_tree(away); });
  return true;
}

void container_source::prepare(run_launch run, taker done) {
  looking_.post([this, run = std::move(run), done = std::move(done), wanted = boot_now()] {
    if (is_here(run)) return done(make(run, wanted));
    pulling_[next_++ % pullers]->post([=, this] { done(make(run, wanted)); });
  });
}

/// Whether nothing has to be asked of a registry.
bool container_source::is_here(const run_launch& run) {
  return std::ranges::all_of(run.plan.containers, [&](const auto& container) {
    auto wish = wish_for(run, container);
    if (!wish) return true;
    if (wish->pull == model::pull_policy::always) return false;
    wish->pull = model::pull_policy::never;
    return images_.get(*wish).has_value();
  });
}

result<image_wish> container_source::wish_for(const run_launch& run,
                                              const model::pod_container& container) const {
  auto name = parse_image(container.image);
  if (!name) return fail(ec::invalid_argument, container.place + ".image: " + name.error().detail);
  image_wish out{std::move(*name), container.image, container.pull, {}, {}};
  if (out.pull == model::pull_policy::by_name)
    out.pull = may_change(out.name) ? model::pull_policy::always : model::pull_policy::if_missing;
  const auto& space = run.order->name_space;
  for (const auto& secret : run.plan.pull_secrets) {
    const auto file = fs::path{config_.rules.secrets_dir} / space / (secret + ".json");
    std::error_code code;
    if (config_.rules.secrets_dir.empty() || !is_plain_name(secret) || !is_plain_name(space) ||
        !fs::exists(file, code))
      return fail(ec::not_found, "podSpec.imagePullSecrets: there is no secret '" + secret +
                                     "' of namespace '" + space +
                                     "' on this machine: it is a file NAMESPACE/NAME.json in "
                                     "container.secretsDir");
    std::istringstream lines{read_file(file.parent_path() / "queues").value_or(std::string{})};
    const std::vector<std::string> queues{std::istream_iterator<std::string>{lines}, {}};
    if (const auto& queue = run.order->queue.str(); !access::fits_any(queues, queue))
      return fail(ec::denied, "podSpec.imagePullSecrets: jobs of queue '" + queue +
                                  "' may not use the secrets of namespace '" + space +
                                  "' on this machine: the file " + space +
                                  "/queues in container.secretsDir lists whose may");
    out.secrets.push_back(file.string());
  }
  return out;
}

/// An image may name a user as its maker likes. That matters where files of the machine are shown.
result<void> container_source::check_user(const run_launch& run,
                                          const model::pod_container& container,
                                          const image_facts& image) const {
  const bool shown = std::ranges::any_of(container.mounts, [&](const auto& mount) {
    const auto volume = std::ranges::find(run.plan.volumes, mount.volume, &model::pod_volume::name);
    return volume != run.plan.volumes.end() && !volume->host_path.empty();
  });
  if (config_.one_id || container.user || !shown) return {};
  const auto group = container.group ? std::nullopt : std::optional{image.gid};
  if (auto allowed = users_.check_container({image.uid, group}); !allowed)
    return fail(ec::denied,
                container.place + ": its image names user " + std::to_string(image.uid) +
                    " and group " + std::to_string(image.gid) +
                    ", which may not see files of this machine: " + allowed.error().detail);
  return {};
}

result<std::string> container_source::allowed_path(const std::string& place,
                                                   const std::string& path) const {
  std::error_code code;
  const auto real = fs::canonical(path, code);
  if (code || !path.starts_with('/'))
    return fail(ec::not_found, place + ": '" + path + "' is not on this machine");
  for (const auto& each : config_.rules.host_paths)
    if (const auto top = fs::canonical(each, code); !code && is_within(real, top))
      return real.string();
  return fail(ec::denied, place + ": '" + path + "' is not within container.hostPaths, and so " +
                              "this agent shows it to no pod");
}

result<std::vector<bound_path>> container_source::volumes_of(const run_launch& run,
                                                             const model::pod_container& container,
                                                             pod_plan& pod) const {
  std::vector<bound_path> out;
  const auto work = config_.runs_dir / to_string(run.order->run) / work_folder;
  for (std::size_t i = 0; i < container.mounts.size(); ++i) {
    const auto& mount = container.mounts[i];
    const auto place = container.place + ".volumeMounts[" + std::to_string(i) + "]";
    const auto& all = run.plan.volumes;
    const auto volume = std::ranges::find(all, mount.volume, &model::pod_volume::name);
    if (volume == all.end())
      return fail(ec::invalid_argument, place + ": the pod has no volume '" + mount.volume + "'");
    if (!mount.path.starts_with('/') || mount.path.find("..") != std::string::npos)
      return fail(ec::invalid_argument,
                  place + ".mountPath '" + mount.path + "' does not begin with '/', or has '..'");
    if (!volume->host_path.empty()) {
      auto path =
          allowed_path(place, mount.sub_path.empty() ? volume->host_path
                                                     : volume->host_path + "/" + mount.sub_path);
      if (!path) return fail(std::move(path.error()));
      // Until the container begins, a link may take the place of what has this name now.
      const auto shown = "h" + std::to_string(pod.host_paths.size());
      out.push_back({(work / shown).string(), mount.path, mount.read_only});
      pod.host_paths.push_back(std::move(*path));
      continue;
    }
    const auto number = volume - all.begin();
    auto source = work / ("v" + std::to_string(number));
    if (!mount.sub_path.empty()) {
      if (mount.sub_path.starts_with('/') || mount.sub_path.find("..") != std::string::npos)
        return fail(ec::invalid_argument,
                    place + ".subPath '" + mount.sub_path + "' begins with '/', or has '..'");
      const auto owner = pod.containers.size();
      source = config_.runs_dir / to_string(run.order->run) / crun_folder /
               ("c" + std::to_string(owner)) / ("s" + std::to_string(pod.parts.size()));
      pod.parts.push_back({static_cast<std::int64_t>(owner), number, mount.sub_path});
    }
    out.push_back({source.string(), mount.path, mount.read_only});
  }
  return out;
}

/// Gives the run devices that nobody else has, for each resource that has a maker's name.
result<device_edits> container_source::take_devices(const run_launch& run,
                                                    const model::pod_container& container,
                                                    std::vector<std::string>& taken) {
  device_edits out;
  for (const auto& [kind, amount] : container.limits) {
    if (kind.find('/') == std::string::npos || amount <= 0) continue;
    const auto files = read_cdi_files();
    auto missing = amount;
    bool known = false;
    const std::lock_guard guard{mutex_};
    for (const auto& file : files) {
      for (const auto& name : cdi_devices(file, kind)) {
        known = true;
        const auto full = kind + "=" + name;
        if (missing == 0 || devices_.contains(full) || !add_cdi_device(file, kind, name, out))
          continue;
        devices_[full] = run.order->run;
        taken.push_back(full);
        --missing;
      }
    }
    if (!known)
      return fail(ec::not_found, container.place + ".resources.limits: no file in /etc/cdi or " +
                                     "/var/run/cdi of this machine has devices '" + kind + "'");
    if (missing > 0)
      return fail(ec::unavailable, "all devices '" + kind +
                                       "' of the CDI files are taken; process.capacity promises "
                                       "more of them");
  }
  return out;
}

result<ready_pod> container_source::make(const run_launch& run, boot_time wanted) {
  ready_pod out;
  out.pod.crun = config_.crun;
  out.pod.crun_max_ns = config_.crun_max.count();
  out.pod.hostname = run.plan.hostname;
  out.pod.own_network = config_.rules.own_network;
  for (const auto& each : run.plan.volumes)
    out.pod.volumes.push_back({each.in_memory, each.size_max});
  auto held = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  std::set<std::string> names;
  const auto state = config_.runs_dir / to_string(run.order->run) / crun_folder;
  for (const auto& container : run.plan.containers) {
    if (!is_plain_name(container.name) || !names.insert(container.name).second)
      return fail(ec::invalid_argument,
                  container.place + ".name '" + container.name + "' is empty or used twice");
    auto wish = wish_for(run, container);
    if (!wish) return fail(wish.error());
    wish->wanted = wanted;
    const auto image = images_.get(*wish);
    if (!image) return fail(image.error());
    held->push_back(image->hold);
    if (auto allowed = check_user(run, container, image->facts); !allowed)
      return fail(std::move(allowed.error()));
    auto volumes = volumes_of(run, container, out.pod);
    if (!volumes) return fail(std::move(volumes.error()));
    auto devices = take_devices(run, container, out.pod.devices);
    if (!devices) return fail(std::move(devices.error()));
    const auto root = state / ("c" + std::to_string(out.pod.containers.size())) / "root";
    auto config = make_oci_config({&container,
                                   &image->facts,
                                   root.string(),
                                   std::move(*volumes),
                                   std::move(*devices),
                                   config_.seccomp,
                                   config_.one_id,
                                   config_.rules.own_network,
                                   {}});
    if (!config) return fail(std::move(config.error()));
    out.pod.containers.push_back({container.name, container.init, image->files, std::move(*config),
                                  model::amount_of(container.limits, "cpu"),
                                  model::amount_of(container.limits, "memory")});
    auto note = "image " + to_string(wish->name) + " is " + image->facts.digest;
    if (std::ranges::find(out.pod.notes, note) == out.pod.notes.end())
      out.pod.notes.push_back(std::move(note));
  }
  if (config_.rules.own_network)
    out.pod.notes.emplace_back("the pod has a loopback interface and no other network");
  for (const auto& field : run.plan.ignored)
    out.pod.notes.push_back(field + " has no effect in a container of this backend");
  out.hold = std::move(held);
  return out;
}

void container_source::hold(const model::run_key& run, const std::vector<std::string>& devices) {
  const std::lock_guard guard{mutex_};
  for (const auto& each : devices) devices_[each] = run;
}

void container_source::release(const model::run_key& run) {
  const std::lock_guard guard{mutex_};
  std::erase_if(devices_, [&](const auto& each) { return each.second == run; });
}

}  // namespace argosy::backends
