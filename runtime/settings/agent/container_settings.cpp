// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/agent/container_settings.hpp"

namespace argosy::settings {

using namespace std::chrono_literals;

void describe(field_table& table, container_settings& item) {
  auto& rules = item.rules;
  table.section("container",
                "Backend container: backend process, whose settings count for it as well, which "
                "also runs images. It needs skopeo, umoci and crun.");
  table.value("container.registries", rules.registries,
              "Which images may be pulled, by the beginnings of their names, for example "
              "[images.example.com/team, library], where library has Docker Hub's own images. "
              "Empty: any.");
  table.value("container.registriesConf", rules.registries_conf,
              "A file registries.conf(5), which names mirrors and registries without TLS. Empty: "
              "/etc/containers/registries.conf.");
  table.value("container.authFile", rules.auth_file,
              "A file containers-auth.json(5) with the rights of all jobs at registries.");
  table.value("container.secretsDir", rules.secrets_dir,
              "A folder with such files as NAMESPACE/NAME.json, for the names in "
              "podSpec.imagePullSecrets. Jobs may use them whose queue the file NAMESPACE/queues "
              "names, one a line, where a * stands for any characters.");
  table.value("container.imagesMax", rules.images_max,
              "How much the unpacked images may take of the disk of dataDir. Those that were not "
              "used for the longest time go first; those in use stay. 0 means any amount.");
  table.value("container.pullTimeout", rules.pull_timeout,
              "After how long a step of a pull fails, from 1s to 24h. The run is then given back.",
              between<std::chrono::milliseconds>(1s, 24h));
  table.value(
      "container.hostPaths", rules.host_paths,
      "The folders of this machine that volumes of pods (hostPath) may show, with all below "
      "them. Containers may be user 0, so that they change there what root may, unless the "
      "agent is another user. Empty: none.");
  table.value("container.ownNetwork", rules.own_network,
              "Whether each pod has a network of its own, in which there is a loopback interface "
              "and nothing else. Otherwise pods share that of the machine.");
}

}  // namespace argosy::settings
