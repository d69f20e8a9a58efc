// SPDX-License-Identifier: Apache-2.0

/// The import of responses into the model.
extension ScheduleModel {
    /// Returns a Boolean value that indicates whether something newer than a request has a stamp.
    private func isNewer(_ stamp: Stamp?, than origin: Origin, _ name: ObjectName) -> Bool {
        guard let stamp else { return false }
        if !origin.isWrite { return stamp.number > origin.number }
        return stamp.write > origin.number && name != origin.target
    }

    private func stamp(_ origin: Origin, at commit: Int) -> Stamp {
        origin.isWrite
            ? Stamp(number: commit, write: origin.number) : Stamp(number: origin.number)
    }

    /// Imports representations.
    ///
    /// - Parameters:
    ///   - content: The representations.
    ///   - origin: The request.
    ///   - commit: The number of the transaction.
    ///   - except: The properties of the target that its program has saved since.
    mutating func importContent(
        _ content: [Representation], _ origin: Origin, at commit: Int, except: Set<String> = []
    ) {
        var values: [ObjectName: [String: ScheduledValue]] = [:]
        for representation in content { representation.collect(into: &values) }
        let (memory, stamp) = (memories[origin.store], stamp(origin, at: commit))
        for name in values.keys.sorted() where rows[name] == nil {
            if isNewer(memory.removed[name], than: origin, name) { continue }
            insert(name)
            if memory.evicted[name].map({ $0 > origin.number }) ?? false {
                mayVanish[name] = Deletion(
                    stamp: Stamp(number: origin.number), store: origin.store)
            }
        }
        for name in values.keys.sorted() where rows[name] != nil {
            for (property, value) in values[name]?.sorted(by: { $0.key < $1.key }) ?? [] {
                if name == origin.target, except.contains(property) { continue }
                if isNewer(memory.values[name]?[property], than: origin, name) { continue }
                let old = rows[name]?[property] ?? "-"
                var others: Set<ScheduledValue> = []
                if let destination = Self.destination(property, value),
                    rows[destination] == nil || mayVanish[destination] != nil
                {
                    // What it refers to was deleted since, or evicted.
                    others.formUnion([old, "-"])
                }
                let confirmed = memory.confirmed[name]?[property] ?? 0
                if !origin.isWrite, confirmed > origin.number { others.insert(old) }
                if property == "project", let id = Int(value),
                    memory.lists[id].map({ $0 > origin.number }) ?? false
                {
                    // A later request has brought the list of the project without the ticket.
                    others.formUnion([old, "-"])
                }
                if !others.isEmpty {
                    alternatives[name, default: [:]][property, default: []].formUnion(others)
                }
                if origin.isConfirmation {
                    rows[name]?[property] = value
                    memories[origin.store].confirmed[name, default: [:]][property] =
                        max(confirmed, origin.number)
                } else {
                    set(value, property, of: name, stamp, in: origin.store)
                }
            }
        }
        for project in content where project.members != nil {
            importMembers(of: project, origin, stamp)
        }
    }

    /// Removes the tickets that the list of a project lacks from the project.
    private mutating func importMembers(
        of project: Representation, _ origin: Origin, _ stamp: Stamp
    ) {
        let memory = memories[origin.store]
        let members = Set(project.members?.map(\.name) ?? [])
        for (name, property) in references(to: project.name) where !members.contains(name) {
            if isNewer(memory.values[name]?[property], than: origin, name) { continue }
            if memory.confirmed[name]?[property].map({ $0 > origin.number }) ?? false {
                alternatives[name, default: [:]][property, default: []].insert(
                    "\(project.name.id)")
            }
            set("-", property, of: name, stamp, in: origin.store)
        }
        let known = memory.lists[project.name.id] ?? 0
        memories[origin.store].lists[project.name.id] = max(known, stamp.number)
    }

    /// Deletes the tickets of a project that a list of them lacks, unless something newer has written them.
    ///
    /// - Parameters:
    ///   - project: The project.
    ///   - content: The list.
    ///   - origin: The request.
    ///   - isUncertain: A Boolean value that indicates whether another program has written since, so that the
    ///     orphans may stay.
    mutating func removeOrphans(
        of project: Int, keeping content: [Representation], _ origin: Origin, isUncertain: Bool
    ) {
        let kept = Set(content.map(\.name))
        let memory = memories[origin.store]
        for (name, _) in references(to: .project(project)) where !kept.contains(name) {
            let stamps = memory.values[name]?.values.map(\.number) ?? []
            if stamps.contains(where: { $0 > origin.number }) { continue }
            let confirmed = memory.confirmed[name]?.values.max() ?? 0
            let isOpen = alternatives[name]?["project"] != nil
            if isUncertain || confirmed > origin.number || isOpen {
                mayVanish[name] = Deletion(
                    stamp: Stamp(number: origin.number), store: origin.store)
            } else {
                remove(name, Stamp(number: origin.number), in: origin.store)
            }
        }
    }
}
