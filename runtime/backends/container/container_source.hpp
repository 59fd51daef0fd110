// SPDX-License-Identifier: Apache-2.0
// Makes of a pod what the shim runs: its images, and a configuration for each container. Images
// that are here are looked up by one thread, and those that are not are pulled by a few others, so
// that a slow registry holds nobody up who does not need it.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/backends/container/image_store.hpp"
#include "runtime/backends/container/oci_config.hpp"
#include "runtime/backends/process/pod_source.hpp"
#include "runtime/backends/process/run_users.hpp"
#include "runtime/backends/process/work_thread.hpp"
#include "runtime/backends/rules/container_rules.hpp"

namespace argosy::backends {

struct container_source_config {
  container_rules rules;
  image_store_config images;
  std::filesystem::path runs_dir;
  std::string crun;
  std::chrono::nanoseconds crun_max{};
  seccomp_filter seccomp;
  bool one_id = false;  ///< Containers have one user.
  user_rules users;
};

/// Where CDI files are, by which GPUs come into containers.
[[nodiscard]] std::vector<std::string> read_cdi_files();

class container_source final : public pod_source {
 public:
  explicit container_source(container_source_config config);
  ~container_source() override { container_source::shutdown(); }

  void prepare(run_launch run, taker done) override;
  void hold(const model::run_key& run, const std::vector<std::string>& devices) override;
  void release(const model::run_key& run) override;
  bool make_room() override;
  void shutdown() override;

 private:
  [[nodiscard]] bool is_here(const run_launch& run);
  /// `wanted`: since when the run is wanted.
  [[nodiscard]] result<ready_pod> make(const run_launch& run, boot_time wanted);
  [[nodiscard]] result<image_wish> wish_for(const run_launch& run,
                                            const model::pod_container& container) const;
  [[nodiscard]] result<std::vector<bound_path>> volumes_of(const run_launch& run,
                                                           const model::pod_container& container,
                                                           pod_plan& pod) const;
  [[nodiscard]] result<void> check_user(const run_launch& run,
                                        const model::pod_container& container,
                                        const image_facts& image) const;
  [[nodiscard]] result<std::string> allowed_path(const std::string& place,
                                                 const std::string& path) const;
  [[nodiscard]] result<device_edits> take_devices(const run_launch& run,
                                                  const model::pod_container& container,
                                                  std::vector<std::string>& taken);

  container_source_config config_;
  image_store images_;
  run_users users_;
  std::mutex mutex_;
  std::map<std::string, model::run_key> devices_;  ///< Who has which; guarded by mutex_.
  std::size_t next_ = 0;                           ///< Belongs to looking_.
  std::vector<std::unique_ptr<work_thread>> pulling_;
  work_thread looking_;
};

}  // namespace argosy::backends
