// SPDX-License-Identifier: Apache-2.0
// Views that are saved under a name for everybody: the list in the server's settings, and how it
// changes.

export interface View {
  name: string;
  address: string;
}

export const nameMax = 100;

/// Only places within the page count, whatever the list says.
export const leadsInto = (address: string): boolean => address.startsWith("#/");

export function usable(list: Partial<View>[] | undefined): View[] {
  return (list ?? [])
    .map(({ name = "", address = "" }) => ({ name, address }))
    .filter(({ name, address }) => name !== "" && leadsInto(address))
    .sort((a, b) => a.name.localeCompare(b.name));
}

/// The list with this view, which takes the place of one of the same name.
export function withView(list: View[], view: View): View[] {
  return [...list.filter(({ name }) => name !== view.name), view];
}

export const without = (list: View[], name: string): View[] => list.filter((one) => one.name !== name);

/// The request that makes this the list, unless the settings were changed since they were read.
/// JSON is YAML, which settings are written in.
export function request(list: View[], change: number, mark: string): { set: { name: string; value: string }[]; expectedChange: number; mark: string } {
  return { set: [{ name: "rest.views", value: JSON.stringify(list) }], expectedChange: change, mark };
}
