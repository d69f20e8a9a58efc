// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The resources of a simulated server, and what it has remembered of requests.
///
/// It is a value without time and sockets: each function has the time as a parameter.
struct SimulatedResources: Sendable {
    typealias Resource = SimulatedAPI.Resource
    typealias Collections = [String: [String: Resource]]

    private struct RememberedKey: Sendable {
        let body: [UInt8]
        let answer: SimulatedAnswer
        let date: Date
    }

    var behavior: SimulatedAPI.Behavior
    private(set) var collections: Collections = [:]
    private(set) var effects: [SimulatedAPI.Effect] = []
    private var keys: [String: RememberedKey] = [:]
    /// The identities that resources have or had, which are not given again.
    private var identities: [String: Set<String>] = [:]
    /// Former resources, each with the time until which they were the present ones.
    private var history: [(end: Date, collections: Collections)] = []

    init(_ behavior: SimulatedAPI.Behavior) { self.behavior = behavior }

    mutating func forgetKeys() { keys = [:] }

    // MARK: Changing

    /// Inserts, replaces or removes a resource.
    mutating func set(
        _ collection: String, _ identity: String, _ resource: Resource?, at date: Date
    ) {
        if behavior.replicaLag > .zero {
            history.append((date, collections))
            let oldest = date.addingTimeInterval(-(behavior.replicaLag / .seconds(1)))
            history.removeAll { $0.end < oldest }
        }
        collections[collection, default: [:]][identity] = resource
        identities[collection, default: []].insert(identity)
    }

    /// Changes members of a resource, which gets its next version.
    mutating func change(
        _ collection: String, _ identity: String, _ members: [String: Document], at date: Date
    ) {
        guard var resource = collections[collection]?[identity] else { return }
        resource.members.merge(members) { $1 }
        resource.version += 1
        resource.modified = date
        set(collection, identity, resource, at: date)
    }

    // MARK: Executing

    /// Executes a request.
    mutating func execute(_ request: SimulatedRequest, at date: Date) -> SimulatedAnswer {
        if let accepted = behavior.credentials,
            !accepted.contains(request.headerFields[.authorization] ?? "")
        {
            return .json("{}", status: 401)
        }
        guard request.isWrite else { return read(request, at: date) }
        let body = behavior.keyMember.flatMap { request.document?.root[$0]?.string }
        guard let key = request.headerFields[.idempotencyKey] ?? body else {
            return write(request, at: date)
        }
        keys = keys.filter {
            $0.value.date.addingTimeInterval(behavior.keyLifetime / .seconds(1)) > date
        }
        if let known = keys[key] {
            // The draft of the header field requires 422 for another content.
            return known.body == request.body ? known.answer : .json("{}", status: 422)
        }
        let answer = write(request, at: date)
        if answer.status < 300 {
            keys[key] = RememberedKey(body: request.body, answer: answer, date: date)
        }
        return answer
    }

    private func read(_ request: SimulatedRequest, at date: Date) -> SimulatedAnswer {
        let seen = date.addingTimeInterval(-(behavior.replicaLag / .seconds(1)))
        let found = history.first { $0.end > seen }?.collections ?? collections
        var answer: SimulatedAnswer
        if let identity = request.identity {
            guard let resource = found[request.collection]?[identity] else {
                return .json("{}", status: 404)
            }
            answer = self.answer(200, with: resource)
        } else {
            let list = Document.array(
                (found[request.collection] ?? [:]).values.filter { isFound($0, by: request) }
                    .sorted { $0.isBefore($1) }.map { representation(of: $0) })
            answer = .json(JSONWriter.compact.text(of: list), status: 200)
            if behavior.entityTags != .none {
                answer.headerFields[.eTag] = tag("\(Self.checksum(answer.body))")
            }
        }
        if let known = request.headerFields[.ifNoneMatch], let tag = answer.headerFields[.eTag],
            known.split(separator: ",").contains(where: {
                Self.opaque(String($0)) == Self.opaque(tag)
            })
        {
            return SimulatedAnswer(status: 304, headerFields: [.eTag: tag])
        }
        return answer
    }

    /// Returns a Boolean value that indicates whether a resource has the values for which a list is searched.
    private func isFound(_ resource: Resource, by request: SimulatedRequest) -> Bool {
        request.parameters.filter { behavior.searchMembers.contains($0.name) }.allSatisfy {
            let value = resource.members[$0.name]?.root
            return (value?.string ?? value?.numberText) == $0.value
        }
    }

    private mutating func write(_ request: SimulatedRequest, at date: Date) -> SimulatedAnswer {
        if let list = request.command, let member = request.member {
            return change(list, member, by: request, at: date)
        }
        let body = request.document
        var members: [String: Document] = [:]
        if [.post, .put, .patch].contains(request.method), request.command == nil {
            guard let body, body.root.kind == .object else { return .json("{}", status: 400) }
            for (name, value) in body.root.members {
                members[name] = Self.document(value)
            }
        }
        let name = request.collection
        let known = request.identity.flatMap { collections[name]?[$0] }
        if let status = mismatch(request, known, members) { return .json("{}", status: status) }
        let identity = members.removeValue(forKey: behavior.identityMember)
        let ownMembers = [
            behavior.versionMember, behavior.tagMember, behavior.modificationMember,
            behavior.keyMember,
        ]
        for name in ownMembers.compactMap(\.self) { members[name] = nil }
        if let member = members.first(where: { isDangling($0.key, $0.value, in: request) })?.key {
            return .json(#"{"error":"\#(member) refers to no resource"}"#, status: 422)
        }
        switch (request.method, request.identity) {
        case (.post, nil): return create(request, members, at: date)
        case (.post, let id?):
            guard var resource = known, let command = request.command else {
                return .json("{}", status: known == nil ? 404 : 405)
            }
            resource.commands.append(command)
            resource.version += 1
            return finish(request, id, resource, [:], 200, at: date)
        case (.put, let id?):
            var resource =
                known
                ?? Resource(identity: identity ?? Self.identity(id), members: [:], modified: date)
            resource.version += known == nil ? 0 : 1
            resource.members = members
            return finish(request, id, resource, members, known == nil ? 201 : 200, at: date)
        case (.patch, let id?):
            guard var resource = known else { return .json("{}", status: 404) }
            resource.members.merge(members) { $1 }
            resource.version += 1
            return finish(request, id, resource, members, 200, at: date)
        case (.delete, let id?):
            guard known != nil else { return .json("{}", status: 404) }
            set(name, id, nil, at: date)
            note(request, id, [:], at: date)
            return SimulatedAnswer(status: 204)
        default: return .json("{}", status: 405)
        }
    }

    /// Adds a member to a list of a resource, or removes it.
    private mutating func change(
        _ list: String, _ member: String, by request: SimulatedRequest, at date: Date
    ) -> SimulatedAnswer {
        let identity = Self.identity(member)
        guard [.put, .delete].contains(request.method), let id = request.identity else {
            return .json("{}", status: 405)
        }
        guard var resource = collections[request.collection]?[id] else {
            return .json("{}", status: 404)
        }
        let known = (resource.members[list]?.root.elements).map { $0.map(Self.document) } ?? []
        if request.method == .delete, !known.contains(identity) {
            return .json("{}", status: 404)
        }
        var members = known.filter { $0 != identity }
        if request.method == .put { members.append(identity) }
        resource.members[list] = .array(members)
        resource.version += 1
        resource.modified = date
        set(request.collection, id, resource, at: date)
        note(request, id, [list: .array(members)], at: date)
        return SimulatedAnswer(status: 204)
    }

    private mutating func create(
        _ request: SimulatedRequest, _ members: [String: Document], at date: Date
    ) -> SimulatedAnswer {
        let name = request.collection
        if let member = behavior.uniqueMembers[name], let value = members[member],
            let other = collections[name]?.values.first(where: { $0.members[member] == value })
        {
            let body = Document.object([
                ("error", .string("exists")), (behavior.identityMember, other.identity),
            ])
            return .json(JSONWriter.compact.text(of: body), status: 409)
        }
        while identities[name]?.contains("\(behavior.nextIdentity)") == true {
            behavior.nextIdentity += 1
        }
        let number = behavior.nextIdentity
        behavior.nextIdentity += 1
        let resource = Resource(identity: .number(number), members: members, modified: date)
        return finish(request, "\(number)", resource, members, 201, at: date)
    }

    private mutating func finish(
        _ request: SimulatedRequest, _ id: String, _ resource: Resource,
        _ members: [String: Document], _ status: Int, at date: Date
    ) -> SimulatedAnswer {
        var resource = resource
        resource.modified = date
        set(request.collection, id, resource, at: date)
        note(request, id, members, at: date)
        var answer = answer(status, with: resource)
        if status == 201 { answer.headerFields[.location] = "/\(request.collection)/\(id)" }
        if !behavior.answersWithResources {
            answer.body = []
            answer.status = status == 201 ? 201 : 204
            answer.headerFields[.contentType] = nil
        }
        return answer
    }

    private mutating func note(
        _ request: SimulatedRequest, _ id: String, _ members: [String: Document], at date: Date
    ) {
        effects.append(
            SimulatedAPI.Effect(
                request: request, collection: request.collection, identity: id, members: members,
                date: date))
    }

    // MARK: Conditions

    /// Returns the status of the answer to a request whose condition is not met.
    private func mismatch(
        _ request: SimulatedRequest, _ known: Resource?, _ members: [String: Document]
    ) -> Int? {
        if request.headerFields[.ifNoneMatch] == "*", known != nil { return 412 }
        guard let known else { return request.headerFields[.ifMatch] == nil ? nil : 412 }
        if let condition = request.headerFields[.ifMatch], condition != "*",
            behavior.entityTags == .weak || condition.hasPrefix("W/")
                || Self.opaque(condition) != "\(known.version)"
        {
            return behavior.mismatchStatus
        }
        if let text = request.headerFields[.ifUnmodifiedSince], let date = HTTPDate.parse(text),
            known.modified.timeIntervalSince(date) >= 1
        {
            return behavior.mismatchStatus
        }
        if let name = behavior.versionMember, let version = members[name]?.root.int64,
            version != known.version
        {
            return behavior.mismatchStatus
        }
        return nil
    }

    private func isDangling(
        _ member: String, _ value: Document, in request: SimulatedRequest
    ) -> Bool {
        guard let collection = behavior.references[member], !value.root.isNull else { return false }
        let node = value.root[behavior.identityMember] ?? value.root
        let identity = node.string ?? node.numberText ?? ""
        // A new resource may refer to itself.
        if collection == request.collection, identity == request.identity { return false }
        return collections[collection]?[identity] == nil
    }

    // MARK: Representations

    private func answer(_ status: Int, with resource: Resource) -> SimulatedAnswer {
        let text = JSONWriter.compact.text(of: representation(of: resource))
        var fields: HTTPFields = [.lastModified: HTTPDate.format(resource.modified)]
        if behavior.entityTags != .none { fields[.eTag] = tag(of: resource) }
        return .json(text, status: status, headerFields: fields)
    }

    private func tag(of resource: Resource) -> String { tag("\(resource.version)") }

    private func tag(_ text: String) -> String {
        behavior.entityTags == .weak ? "W/\"\(text)\"" : "\"\(text)\""
    }

    private func representation(of resource: Resource) -> Document {
        var members = [(behavior.identityMember, resource.identity)]
        if let name = behavior.versionMember { members.append((name, .number(resource.version))) }
        if let name = behavior.tagMember { members.append((name, .string(tag(of: resource)))) }
        if let name = behavior.modificationMember {
            members.append((name, .string(resource.modified.formatted(.iso8601))))
        }
        members += resource.members.sorted { $0.key < $1.key }
        return .object(members)
    }

    private static func opaque(_ tag: String) -> String {
        var text = Substring(tag.filter { $0 != " " })
        if text.hasPrefix("W/") { text = text.dropFirst(2) }
        return text.filter { $0 != "\"" }
    }

    static func document(_ node: Node) -> Document {
        var builder = DocumentBuilder()
        builder.value(node)
        return builder.finish()
    }

    static func identity(_ component: String) -> Document {
        Int64(component).map { .number($0) } ?? .string(component)
    }

    /// FNV-1a, 64 bits, which is the same in each process.
    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
