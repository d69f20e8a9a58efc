// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping

/// Writes objects by the request descriptors of their types, or else by the types' own mappings.
struct ObjectWriter {
    let configuration: ObjectManagerConfiguration
    let method: HTTPRequest.Method

    /// Returns the representation of an object as JSON text; `nil` if it has to be created as a
    /// document, or if there is nothing to send.
    func bytes(of object: RequestObject) throws(NetworkingError) -> [UInt8]? {
        switch object.content {
        case .object(let subject):
            guard !(subject is any ObjectMappable) else { return nil }
            guard let writing = try writing(of: subject) else { return nil }
            return try wrapping { () throws(MappingError) in try writing.plan.bytes(of: subject) }
        case .list(let subjects, let elements):
            guard !subjects.contains(where: { $0 is any ObjectMappable }) else { return nil }
            let list = try list(of: subjects, elements) {
                writing, subject throws(MappingError) in
                try writing.elementPlan.bytes(of: subject)
            }
            return list?.json
        case .encodable(let value): return JSONWriter.compact.bytes(of: try encode(value))
        }
    }

    /// Returns the representation of an object, merged with parameters, which take precedence.
    ///
    /// - Returns: The document; `nil` if the manager has request descriptors for the object's type
    ///   but none for the method.
    func document(
        of object: RequestObject, adding parameters: Document
    ) throws(NetworkingError) -> Document? {
        switch object.content {
        case .object(let subject):
            guard let writing = try writing(of: subject) else { return nil }
            var document = try merge(
                wrapping { () throws(MappingError) in try writing.document(of: subject) },
                parameters)
            (subject as? any ObjectMappable)?.willSend(&document)
            return document
        case .list(let subjects, let elements):
            let list = try list(of: subjects, elements) {
                writing, subject throws(MappingError) in
                try writing.elementDocument(of: subject)
            }
            return try list.map { list throws(NetworkingError) in
                try merge(list.document, parameters)
            }
        case .encodable(let value): return try merge(try encode(value), parameters)
        }
    }

    private func encode(_ value: any Encodable) throws(NetworkingError) -> Document {
        do throws(DocumentError) {
            return try configuration.encoder.encode(value)
        } catch {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: method.rawValue, path: error.path,
                causes: ["the object cannot be encoded"], underlying: error)
        }
    }

    private func merge(
        _ document: Document, _ parameters: Document
    ) throws(NetworkingError) -> Document {
        if parameters.isEmptyObject { return document }
        guard document.root.kind == .object, parameters.root.kind == .object else {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: method.rawValue,
                causes: [
                    "parameters can be merged with an object only, not with "
                        + "\(document.root.kind); give the request descriptor a root key"
                ])
        }
        return document.merging(parameters)
    }

    private func wrapping<Result>(
        _ body: () throws(MappingError) -> Result
    ) throws(NetworkingError) -> Result {
        do throws(MappingError) {
            return try body()
        } catch {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: method.rawValue, path: error.path,
                causes: ["the object cannot be represented"], underlying: error)
        }
    }
}

// MARK: - Mappings

/// The plans for the objects of a type.
private struct ObjectWriting {
    /// The plan of one object, with its root key.
    let plan: RequestPlan
    /// The plan of an element of a list, without the root key.
    let elementPlan: RequestPlan
    let rootKey: String?
    /// A Boolean value that indicates whether the type's own mapping is used.
    let isDefault: Bool

    init(_ descriptor: RequestDescriptor, _ plans: RequestDescriptor.Plans) {
        plan = plans.object
        elementPlan = plans.element
        rootKey = descriptor.rootKey
        isDefault = false
    }

    init(default plan: RequestPlan) {
        self.plan = plan
        elementPlan = plan
        rootKey = nil
        isDefault = true
    }

    func document(of subject: any RequestSubject) throws(MappingError) -> Document {
        guard isDefault, let mappable = subject as? any ObjectMappable else {
            return try plan.document(of: subject)
        }
        return try mappable.propertiesForSerialization().merging(
            try mappable.relationshipsForSerialization())
    }

    func elementDocument(of subject: any RequestSubject) throws(MappingError) -> Document {
        guard isDefault, let mappable = subject as? any ObjectMappable else {
            return try elementPlan.document(of: subject)
        }
        return try mappable.parameters()
    }
}

extension ObjectWriter {
    /// Returns the plans for an object; `nil` if the manager has descriptors for its type, but none
    /// for the method.
    private func writing(
        of subject: any RequestSubject
    ) throws(NetworkingError) -> ObjectWriting? {
        let descriptors = configuration.requestDescriptors
        if !descriptors.isEmpty {
            switch RequestDescriptor.selection(for: subject, method, among: descriptors) {
            case .descriptor(let descriptor, let plans): return ObjectWriting(descriptor, plans)
            case .otherMethods: return nil
            case .none: break
            }
        }
        let type = type(of: subject)
        let plan = try wrapping { () throws(MappingError) in
            try configuration.defaults.requestPlan(for: type)
        }
        guard let plan else {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: method.rawValue,
                causes: ["\(type) has no mapping of its own; add a request descriptor"])
        }
        return ObjectWriting(default: plan)
    }
}

// MARK: - Lists

/// The representations of a list of objects, by root key.
private struct ObjectList<Item> {
    var count = 0
    var groups: [(rootKey: String?, items: [Item])] = []

    mutating func add(_ item: Item, at rootKey: String?) {
        count += 1
        if let index = groups.firstIndex(where: { $0.rootKey == rootKey }) {
            groups[index].items.append(item)
        } else {
            groups.append((rootKey, [item]))
        }
    }

    /// Returns a Boolean value that indicates whether a group is written as an object instead of as
    /// a list: if it is the only one of its kind among several objects.
    func isSingle(_ items: [Item]) -> Bool { items.count == 1 && count > 1 }
}

extension ObjectWriter {
    /// Returns the representations of objects; `nil` if no object has a descriptor for the method.
    private func list<Item>(
        of subjects: [any RequestSubject], _ elements: PropertyTable?,
        _ item: (ObjectWriting, any RequestSubject) throws(MappingError) -> Item
    ) throws(NetworkingError) -> ObjectList<Item>? {
        var list = ObjectList<Item>()
        var undescribed = 0
        for (index, subject) in subjects.enumerated() {
            guard let writing = try writing(of: subject) else {
                undescribed += 1
                continue
            }
            do throws(MappingError) {
                list.add(try item(writing, subject), at: writing.rootKey)
            } catch {
                let path = DocumentPath([.index(index)] + error.path.components)
                throw NetworkingError(
                    .invalidRequest, stage: .assembly, method: method.rawValue, path: path,
                    causes: ["the object cannot be represented"], underlying: error)
            }
        }
        if subjects.isEmpty {
            list.groups = [(rootKey(of: elements), [])]
        } else if undescribed == subjects.count {
            return nil
        }
        guard undescribed == 0 else {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: method.rawValue,
                causes: ["\(undescribed) of \(subjects.count) objects have no request descriptor"])
        }
        guard list.groups.count == 1 || list.groups.allSatisfy({ $0.rootKey != nil }) else {
            throw NetworkingError(
                .invalidRequest, stage: .assembly, method: method.rawValue,
                causes: ["a list cannot contain objects with and without a root key"])
        }
        return list
    }

    private func rootKey(of table: PropertyTable?) -> String? {
        guard let table else { return nil }
        return configuration.requestDescriptors.last { descriptor in
            descriptor.mapping.table.isSame(as: table) && descriptor.matches(method: method)
        }?.rootKey
    }
}

extension ObjectList<[UInt8]> {
    /// The list as JSON text.
    var json: [UInt8] {
        if groups.count == 1, groups[0].rootKey == nil { return Self.array(groups[0].items) }
        var text = Array("{".utf8)
        for (rootKey, items) in groups {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text += JSONWriter.compact.bytes(of: .string(rootKey ?? ""))
            text.append(UInt8(ascii: ":"))
            text += isSingle(items) ? items[0] : Self.array(items)
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    private static func array(_ items: [[UInt8]]) -> [UInt8] {
        var text = Array("[".utf8)
        for item in items {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text += item
        }
        text.append(UInt8(ascii: "]"))
        return text
    }
}

extension ObjectList<Document> {
    /// The list as a document.
    var document: Document {
        if groups.count == 1, groups[0].rootKey == nil { return .array(groups[0].items) }
        return .object(
            groups.map { rootKey, items in
                (rootKey ?? "", isSingle(items) ? items[0] : .array(items))
            })
    }
}
