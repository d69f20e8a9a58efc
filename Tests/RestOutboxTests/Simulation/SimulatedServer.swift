// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestRows

/// A server whose clock and failures a simulation controls.
///
/// It notes every effect, and the violations of what a client owes it.
struct SimulatedServer {
    struct Object {
        let entity: String
        let id: Int64
        /// The row of the client that created it, which the client does not rely on.
        let marker: Int64
        var values: ObjectImage
        var version: Int64 = 1
    }

    struct Effect {
        let method: String
        let entity: String
        /// The row of the object.
        let marker: Int64
        let sequence: Int64
        let values: ObjectImage
    }

    private struct Remembered {
        let body: Data
        let answer: OutboxAnswer.Response
        let date: Date
    }

    /// A value that the server never accepts.
    static let refusedValue: Int64 = 13
    static let keyLifetime = Duration.seconds(900)

    var objects: [Int64: Object] = [:] {
        didSet {
            for (id, old) in oldValue where objects[id]?.version != old.version {
                // A new object with the identity begins with the first version.
                replicas[id] = objects[id] == nil ? nil : old
            }
        }
    }
    /// The former states of objects, as replicas that lag behind have them.
    private(set) var replicas: [Int64: Object] = [:]
    private(set) var effects: [Effect] = []
    private(set) var violations: [String] = []
    private var keys: [String: Remembered] = [:]
    private var bodies: [String: Data] = [:]
    private var issued: Set<Int64> = []
    private var next: Int64 = 1_000_000
    /// A Boolean value that indicates whether answers contain the object.
    let returnsObjects: Bool
    /// A Boolean value that indicates whether the notes of a container are deleted with it, and other references to
    /// it removed.
    let cascades: Bool

    /// A Boolean value that indicates whether the server names the object that has the code of a new one.
    let hasUniqueCodes: Bool

    init(returnsObjects: Bool, hasUniqueCodes: Bool, cascades: Bool) {
        self.returnsObjects = returnsObjects
        self.hasUniqueCodes = hasUniqueCodes
        self.cascades = cascades
    }

    /// Returns the live objects that a row of the client has created.
    func objects(of marker: Int64) -> [Object] { objects.values.filter { $0.marker == marker } }

    mutating func execute(_ request: FrozenRequest, at date: Date) -> OutboxAnswer.Response {
        if let key = request.idempotencyKey {
            if let body = bodies[key], body != request.body {
                violations.append("two bodies have the key \(key)")
            }
            bodies[key] = request.body
            keys = keys.filter { $0.value.date.adding(Self.keyLifetime) > date }
            if let known = keys[key] {
                if known.body != request.body { return .init(status: 422) }
                return known.answer
            }
        }
        let answer = answer(to: request)
        if let key = request.idempotencyKey, answer.status < 300 {
            keys[key] = Remembered(body: request.body, answer: answer, date: date)
        }
        return answer
    }

    private mutating func answer(to request: FrozenRequest) -> OutboxAnswer.Response {
        let parts = request.path.split(separator: "/")
        let entity = String(parts[0])
        let id = parts.count > 1 ? Int64(parts[1]) : nil
        let values = SimulatedBody.values(of: request.body)
        let marker = Int64(request.fields["marker"] ?? "") ?? 0
        let sequence = Int64(request.fields["sequence"] ?? "") ?? 0
        for name in SimulatedModel.attributes where values[name] == .integer(Self.refusedValue) {
            return .init(status: 422)
        }
        let member = parts.count > 3 ? Int64(parts[3]) : nil
        for number in Self.destinations(in: values) + [member].compactMap(\.self)
        where objects[number] == nil {
            if !issued.contains(number) {
                violations.append("\(request.method) \(request.path) names the unknown \(number)")
            }
            if request.method != "DELETE" { return .init(status: 422) }
        }
        func note(_ values: ObjectImage) {
            effects.append(
                Effect(
                    method: request.method, entity: entity, marker: marker, sequence: sequence,
                    values: values))
        }
        switch request.method {
        case "PUT" where member != nil, "DELETE" where member != nil:
            guard let id, let member, objects[id] != nil else { return .init(status: 404) }
            setMember(member, of: id, to: request.method == "PUT")
            note([:])
            return .init(status: 204)
        case "POST" where id != nil:
            guard let id, objects[id] != nil else { return .init(status: 404) }
            note([:])
            return .init(status: 204)
        case "POST", "PUT":
            let new = request.method == "PUT" ? id ?? 0 : next
            if request.method == "PUT", objects[new] != nil {
                return .init(status: 412, identity: .integer(new))
            }
            if request.method == "POST", hasUniqueCodes,
                let same = objects.values.first(where: {
                    $0.entity == entity && $0.values["code"] == values["code"]
                })
            {
                return .init(status: 409, identity: .integer(same.id))
            }
            if request.method == "POST" { next += 1 }
            issued.insert(new)
            let object = Object(entity: entity, id: new, marker: marker, values: values)
            objects[new] = object
            note(values)
            return answer(with: object)
        case "PATCH":
            guard let id, var object = objects[id] else { return .init(status: 404) }
            if let version = request.fields["version"], Int64(version) != object.version {
                return .init(status: 412)
            }
            object.values.merge(values) { $1 }
            object.version += 1
            objects[id] = object
            note(values)
            return answer(with: object)
        default:
            guard let id, let object = objects[id] else { return .init(status: 404) }
            if let version = request.fields["version"], Int64(version) != object.version {
                return .init(status: 412)
            }
            note([:])
            remove(id)
            return .init(status: 204)
        }
    }

    /// Returns the identities that values refer to.
    static func destinations(in values: ObjectImage) -> [Int64] {
        var found: [Int64] = []
        for property in SimulatedModel.references {
            if case .integer(let id) = values[property] { found.append(id) }
        }
        return found + (values["tags"].flatMap(MemberSet.init)?.keys.sorted() ?? [])
    }

    // MARK: Other clients

    /// Deletes an object.
    mutating func remove(_ id: Int64) {
        objects[id] = nil
        guard cascades else { return }
        for (other, object) in objects {
            for property in ["parent", "cover"] where object.values[property] == .integer(id) {
                change(other, property, to: .null)
            }
            if let tags = object.values["tags"].flatMap(MemberSet.init), tags.keys.contains(id) {
                setMember(id, of: other, to: false)
            }
            if object.values["folder"] == .integer(id) { remove(other) }
        }
    }

    mutating func setMember(_ member: Int64, of id: Int64, to isMember: Bool) {
        guard var tags = objects[id]?.values["tags"].flatMap(MemberSet.init) else { return }
        if isMember { tags.keys.insert(member) } else { tags.keys.remove(member) }
        change(id, "tags", to: tags.stored)
    }

    /// Creates an object as another client does.
    mutating func create(_ entity: String, marker: Int64, _ values: ObjectImage) {
        issued.insert(next)
        objects[next] = Object(entity: entity, id: next, marker: marker, values: values)
        next += 1
    }

    private func answer(with object: Object) -> OutboxAnswer.Response {
        .init(
            status: 200, image: returnsObjects ? object.values : nil,
            identity: .integer(object.id), version: returnsObjects ? .integer(object.version) : nil)
    }

    /// Changes an object as another client does.
    mutating func change(_ id: Int64, _ property: String, to value: StoredValue) {
        objects[id]?.values[property] = value
        objects[id]?.version += 1
    }
}
