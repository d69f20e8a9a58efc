// SPDX-License-Identifier: Apache-2.0

/// The content that a file may have, by the rules for responses that arrive in any order.
///
/// Requests and transactions have numbers in one order. What a save, or the response to a write, has written is as
/// new as its transaction; what the response to a read has written is as old as its request. A response changes
/// nothing that is newer than its request.
struct ScheduleModel {
    typealias Row = [String: ScheduledValue]

    /// The place of a value among the requests and transactions.
    struct Stamp {
        /// The greatest number of what has written the value.
        var number = 0
        /// The greatest number of a request that has changed the server.
        var write = 0

        mutating func form(_ other: Stamp) {
            number = max(number, other.number)
            write = max(write, other.write)
        }
    }

    /// The order that one store object knows; others of the same file have an order of their own.
    struct Memory {
        var values: [ObjectName: [String: Stamp]] = [:]
        var removed: [ObjectName: Stamp] = [:]
        /// The numbers of requests that have confirmed values without bringing them, and of evictions.
        ///
        /// They may count, or not.
        var confirmed: [ObjectName: [String: Int]] = [:]
        var evicted: [ObjectName: Int] = [:]
        /// The requests that have brought the tickets of a project as a whole.
        var lists: [Int: Int] = [:]
    }

    /// The deletion of a row by a store object.
    struct Deletion {
        var stamp = Stamp()
        let store: Int
    }

    /// The request of a response.
    struct Origin {
        let number: Int
        var isWrite = false
        var target: ObjectName?
        /// The store object that imports the response.
        var store = 0
        /// A Boolean value that indicates whether the server has confirmed the objects without sending them.
        var isConfirmation = false
    }

    var rows: [ObjectName: Row] = [:]
    /// The number of requests and transactions when each row was inserted.
    private(set) var births: [ObjectName: Int] = [:]
    var memories: [Memory] = [Memory(), Memory()]
    /// The number of requests and transactions so far.
    private(set) var clock = 0
    /// Further values that a property may have after the step.
    var alternatives: [ObjectName: [String: Set<ScheduledValue>]] = [:]
    /// The rows that may have vanished after the step, each with its deletion.
    var mayVanish: [ObjectName: Deletion] = [:]

    mutating func tick() -> Int {
        clock += 1
        return clock
    }

    mutating func reset() {
        (rows, births) = ([:], [:])
        memories = [Memory(), Memory()]
    }

    static func emptyRow(_ name: ObjectName) -> Row {
        Dictionary(uniqueKeysWithValues: name.kind.properties.map { ($0, "-") })
    }

    // MARK: Writing

    mutating func set(
        _ value: ScheduledValue, _ property: String, of name: ObjectName, _ stamp: Stamp,
        in store: Int
    ) {
        insert(name)
        rows[name]?[property] = value
        memories[store].values[name, default: [:]][property, default: Stamp()].form(stamp)
    }

    /// Inserts an empty row if there is none.
    mutating func insert(_ name: ObjectName) {
        if rows[name] != nil { return }
        rows[name] = Self.emptyRow(name)
        births[name] = clock
    }

    mutating func remove(_ name: ObjectName, _ stamp: Stamp, in store: Int) {
        noteRemoval(of: name, stamp, in: store)
        guard rows.removeValue(forKey: name) != nil else { return }
        for reference in references(to: name) {
            set("-", reference.property, of: reference.name, stamp, in: store)
        }
    }

    /// Notes that a store object has deleted a row.
    ///
    /// The other one has its order of the row's values, which a later row of the object does not have.
    private mutating func noteRemoval(of name: ObjectName, _ stamp: Stamp, in store: Int) {
        memories[store].removed[name, default: Stamp()].form(stamp)
        births[name] = nil
        for store in memories.indices {
            memories[store].values[name] = nil
            memories[store].confirmed[name] = nil
        }
    }

    func references(to name: ObjectName) -> [(name: ObjectName, property: String)] {
        let property: String
        switch name.kind {
        case .ticket: return []
        case .project: property = "project"
        case .account: property = "owner"
        }
        return rows.keys.sorted().filter {
            $0.kind == .ticket && rows[$0]?[property] == "\(name.id)"
        }.map { ($0, property) }
    }

    /// Returns the object to which a property of a row refers.
    static func destination(_ property: String, _ value: ScheduledValue?) -> ObjectName? {
        guard let id = value.flatMap({ Int($0) }) else { return nil }
        switch property {
        case "project": return .project(id)
        case "owner": return .account(id)
        default: return nil
        }
    }

    // MARK: Comparing

    /// Compares the rows of the file with the model, and takes what was left open.
    ///
    /// - Returns: The first difference; `nil` if there is none.
    mutating func difference(from actual: [ObjectName: Row]) -> String? {
        defer { (alternatives, mayVanish) = ([:], [:]) }
        for name in Set(rows.keys).union(actual.keys).sorted() {
            guard let found = actual[name] else {
                guard let deletion = mayVanish[name] else { return "\(name) is missing" }
                rows[name] = nil
                noteRemoval(of: name, deletion.stamp, in: deletion.store)
                continue
            }
            guard let expected = rows[name] else { return "\(name) should not exist: \(found)" }
            for property in name.kind.properties where found[property] != expected[property] {
                let value = found[property] ?? ""
                let isCleared =
                    value == "-"
                    && Self.destination(property, expected[property]).map { actual[$0] == nil }
                        ?? false
                let isLeftOpen = alternatives[name]?[property]?.contains(value) ?? false
                guard isCleared || isLeftOpen else {
                    return "\(name).\(property) is \(value), not \(expected[property] ?? "")"
                }
                rows[name]?[property] = value
            }
        }
        return nil
    }
}
