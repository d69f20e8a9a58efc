// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The objects of a list by root key, with their plans.
struct ObjectList {
    /// An object of the list.
    struct Item {
        let index: Int
        let subject: any RequestSubject
        let writing: ObjectWriting
    }

    fileprivate(set) var count = 0
    fileprivate(set) var groups: [(rootKey: String?, items: [Item])] = []

    fileprivate mutating func add(_ item: Item) {
        count += 1
        let rootKey = item.writing.rootKey
        if let index = groups.firstIndex(where: { $0.rootKey == rootKey }) {
            groups[index].items.append(item)
        } else {
            groups.append((rootKey, [item]))
        }
    }

    /// The root keys of the groups; `nil` if the representation is a list without a root key.
    var rootKeys: [String]? {
        let keys = groups.compactMap(\.rootKey)
        return keys.count == groups.count ? keys : nil
    }

    /// Returns a Boolean value that indicates whether a group is written as an object instead of as
    /// a list: if it is the only one of its kind among several objects.
    func isSingle(_ items: [Item]) -> Bool { items.count == 1 && count > 1 }
}

extension ObjectWriter {
    /// Returns objects by root key; `nil` if no object has a descriptor for the method.
    func list(
        of subjects: [any RequestSubject], _ elements: PropertyTable?
    ) throws(NetworkingError) -> ObjectList? {
        var list = ObjectList()
        for (index, subject) in subjects.enumerated() {
            if let writing = try writing(of: subject) {
                list.add(ObjectList.Item(index: index, subject: subject, writing: writing))
            }
        }
        if subjects.isEmpty {
            list.groups = [(rootKey(of: elements), [])]
        } else if list.count == 0 {
            return nil
        }
        guard list.count == subjects.count else {
            throw error(
                "\(subjects.count - list.count) of \(subjects.count) objects have no request "
                    + "descriptor")
        }
        guard list.groups.count == 1 || list.rootKeys != nil else {
            throw error("a list cannot contain objects with and without a root key")
        }
        return list
    }

    private func rootKey(of table: PropertyTable?) -> String? {
        guard let table else { return nil }
        return descriptors.last { descriptor in
            descriptor.mapping.table.isSame(as: table) && descriptor.isFor(method)
        }?.rootKey
    }

    /// Returns a list as JSON text.
    func json(of list: ObjectList) throws(NetworkingError) -> [UInt8] {
        guard let rootKeys = list.rootKeys else { return try json(of: list.groups[0].items) }
        var text = Array("{".utf8)
        for (rootKey, group) in zip(rootKeys, list.groups) {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text += JSONWriter.compact.bytes(of: .string(rootKey))
            text.append(UInt8(ascii: ":"))
            text +=
                list.isSingle(group.items)
                ? try json(of: group.items[0]) : try json(of: group.items)
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    private func json(of items: [ObjectList.Item]) throws(NetworkingError) -> [UInt8] {
        var text = Array("[".utf8)
        for item in items {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text += try json(of: item)
        }
        text.append(UInt8(ascii: "]"))
        return text
    }

    private func json(of item: ObjectList.Item) throws(NetworkingError) -> [UInt8] {
        try wrapping(at: item.index) { () throws(MappingError) in
            try item.writing.elementPlan.bytes(of: item.subject)
        }
    }

    /// Returns a list with root keys as a form.
    func form(of list: ObjectList, _ format: FormFormat) throws(NetworkingError) -> [UInt8] {
        var form = FormWriter(maximumDepth: format.maximumDepth, style: format.style)
        guard format.maximumDepth > 1 else {
            throw error("a list is nested more deeply than the form format allows")
        }
        form.beginContainer()
        for (rootKey, group) in zip(list.rootKeys ?? [], list.groups) {
            form.beginMember(rootKey)
            let isSingle = list.isSingle(group.items)
            if !isSingle { form.beginContainer() }
            for item in group.items {
                if !isSingle { form.beginElement() }
                try wrapping(at: item.index) { () throws(MappingError) in
                    try item.writing.elementPlan.write(item.subject, to: &form)
                }
            }
            if !isSingle { form.endArray() }
        }
        form.endObject()
        return form.finish()
    }

    /// Returns a list as a document.
    func document(of list: ObjectList) throws(NetworkingError) -> Document {
        let groups = try list.groups.map { group throws(NetworkingError) in
            try group.items.map { item throws(NetworkingError) in
                try wrapping(at: item.index) { () throws(MappingError) in
                    try item.writing.elementDocument(of: item.subject)
                }
            }
        }
        guard let rootKeys = list.rootKeys else { return .array(groups[0]) }
        return .object(
            zip(rootKeys, zip(list.groups, groups)).map { rootKey, group in
                (rootKey, list.isSingle(group.0.items) ? group.1[0] : .array(group.1))
            })
    }
}
