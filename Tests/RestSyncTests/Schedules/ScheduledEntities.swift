// SPDX-License-Identifier: Apache-2.0

import RestKit

@Entity final class Project: ManagedObject {
    @Identity var id: Int?
    var name: String?
    @Inverse(\Ticket.project) var tickets: Set<Ticket>
}

@Entity final class Ticket: ManagedObject {
    @Identity var id: Int?
    var title: String?
    var state: String?
    /// Only the details of a ticket have it.
    var note: String?
    var project: Project?
    var owner: Account?
}

@Entity final class Account: ManagedObject {
    @Identity var id: Int?
    var login: String?
    /// An account inside of a ticket of a list lacks it.
    var email: String?
    @Inverse(\Ticket.owner) var tickets: Set<Ticket>
}

/// The name of an object on the server and in the store.
struct ObjectName: Hashable, Comparable, Sendable, CustomStringConvertible {
    enum Kind: Int, Comparable, Sendable, CaseIterable {
        case project, ticket, account

        static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }

        /// The names of the properties that a row has.
        var properties: [String] {
            switch self {
            case .project: ["name"]
            case .ticket: ["title", "state", "note", "project", "owner"]
            case .account: ["login", "email"]
            }
        }
    }

    let kind: Kind
    let id: Int

    static func project(_ id: Int) -> ObjectName { ObjectName(kind: .project, id: id) }
    static func ticket(_ id: Int) -> ObjectName { ObjectName(kind: .ticket, id: id) }
    static func account(_ id: Int) -> ObjectName { ObjectName(kind: .account, id: id) }

    static func < (left: ObjectName, right: ObjectName) -> Bool {
        (left.kind, left.id) < (right.kind, right.id)
    }

    var description: String { "\(kind) \(id)" }
}

/// A value of a row as text: a reference is the ID of its destination, and null is `-`.
typealias ScheduledValue = String

/// A representation of an object, which the server sends as JSON and the model takes as values.
struct Representation: Sendable {
    let name: ObjectName
    var attributes: [(name: String, value: String?)] = []
    var references: [(name: String, object: Representation?)] = []
    /// The tickets of a project; `nil` if the representation lacks them.
    var members: [Representation]?

    var json: String {
        var parts = ["\"id\":\(name.id)"]
        for (name, value) in attributes {
            parts.append("\"\(name)\":\(value.map { "\"\($0)\"" } ?? "null")")
        }
        for (name, object) in references { parts.append("\"\(name)\":\(object?.json ?? "null")") }
        if let members {
            parts.append("\"tickets\":[\(members.map(\.json).joined(separator: ","))]")
        }
        return "{\(parts.joined(separator: ","))}"
    }

    /// Adds the values of the object and of those inside of it.
    func collect(into values: inout [ObjectName: [String: ScheduledValue]]) {
        for (property, value) in attributes { values[name, default: [:]][property] = value ?? "-" }
        if values[name] == nil { values[name] = [:] }
        for (property, object) in references {
            values[name]?[property] = object.map { "\($0.name.id)" } ?? "-"
            object?.collect(into: &values)
        }
        for member in members ?? [] {
            member.collect(into: &values)
            values[member.name]?["project"] = "\(name.id)"
        }
    }
}
