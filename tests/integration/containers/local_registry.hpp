// SPDX-License-Identifier: Apache-2.0
// A registry of Debian's docker-registry in a folder, and images that are made of busybox-static.
// Nothing comes from the network.
#pragma once

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/process/child.hpp"
#include "tests/support/process/free_port.hpp"

namespace argosy::testing {

class local_registry {
 public:
  explicit local_registry(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
    std::ofstream{folder_ / "registry.yml"}
        << "version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: "
        << (folder_ / "blobs").string() << "}}\nhttp: {addr: \"" << address() << "\"}\n";
    // Docker Hub's short names are taken from here.
    std::ofstream{conf()} << "[[registry]]\nprefix = \"docker"
                             ".io\"\nlocation = \""
                          << address() << "\"\ninsecure = true\n";
    start();
  }

  /// What is not installed; empty: nothing.
  static std::string lack() {
    for (const char* file : {"/usr/bin/docker-registry", "/usr/bin/skopeo", "/usr/bin/umoci",
                             "/usr/bin/crun", "/bin/busybox"})
      if (!std::filesystem::exists(file)) return std::string{file} + " is not installed";
    return {};
  }

  void start() {
    launch how;
    how.words = {"/usr/bin/docker-registry", "serve", (folder_ / "registry.yml").string()};
    how.err = folder_ / "registry.log";
    server_ = child{how};
    for (int i = 0; i < 400; ++i) {
      if (sh("exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(port_)).code == 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
  }
  void stop() { server_.kill(); }

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::string conf() const { return (folder_ / "registries.conf").string(); }

  outcome sh(const std::string& script) const {
    return run({{"/bin/bash", "-c", "cd '" + folder_.string() + "' && " + script},
                {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + folder_.string()}},
               folder_, std::chrono::seconds{20});
  }

  /// Makes an image of busybox under the name "library/NAME:1", and pushes it, a plain one as the
  /// latest as well. `more` are commands in a folder that has the files of the image in `r`;
  /// `config` are flags of umoci config.
  outcome push(const std::string& name, const std::string& config = {},
               const std::string& more = {}) const {
    return sh("mkdir -p " + name + "/r/bin && cd " + name +
              " && cp /bin/busybox r/bin && for a in sh sleep echo cat id ls true touch mkdir "
              "head hostname; "
              "do ln -s busybox r/bin/$a; done && " +
              (more.empty() ? "true" : more) +
              " && { test -f layer.tar || tar -C r -cf layer.tar .; } && umoci init --layout l "
              "&& umoci new --image l:x && umoci raw add-layer --image l:x layer.tar && umoci "
              "config --image l:x " +
              (config.empty() ? "--config.cmd true" : config) +
              " && skopeo copy -q --dest-tls-verify=false oci:l:x docker://" + address() +
              "/library/" + name + ":1" +
              (config.empty() ? " && skopeo copy -q --dest-tls-verify=false oci:l:x docker://" +
                                    address() + "/library/" + name + ":latest"
                              : ""));
  }

  [[nodiscard]] std::string digest(const std::string& name) const {
    auto out = sh("skopeo inspect --no-tags --tls-verify=false --format={{.Digest}} docker://" +
                  address() + "/library/" + name + ":1")
                   .out;
    while (out.ends_with('\n')) out.pop_back();
    return out;
  }

 private:
  std::filesystem::path folder_;
  int port_ = free_port();
  child server_;
};

}  // namespace argosy::testing
