// SPDX-License-Identifier: Apache-2.0

package import RestDocument

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension DatedDocument {
    /// Creates the representation of a value, as a request mapping without options writes it.
    ///
    /// - Throws: ``MappingError`` when a value has no representation, such as NaN.
    package init<Value: MappableValue>(representing value: Value) throws(MappingError) {
        self = try RequestPlan.representing(Value.self).runToDatedDocument {
            writer throws(MappingFailure) in
            try writer.required(value)
        }
    }

    /// Creates an object with members in the given order; those of one name are a list of their values.
    ///
    /// - Throws: ``MappingError`` with the path of a value that has no representation.
    package init(members: [(String, (any MappableValue)?)]) throws(MappingError) {
        var nested: MappingError?
        do throws(MappingError) {
            self = try RequestPlan.values.runToDatedDocument { writer throws(MappingFailure) in
                try writer.members(members, &nested)
            }
        } catch {
            throw nested?.inside(error.path) ?? error
        }
    }

    /// Returns the object with a member that is text, in place of a member with this name.
    package func adding(_ text: String, named name: String) throws(MappingError) -> DatedDocument {
        try RequestPlan.values.runToDatedDocument { writer throws(MappingFailure) in
            try writer.members(of: self, text, name)
        }
    }

    /// Returns the document with dates in a format.
    ///
    /// - Throws: ``MappingError`` with the path of a date that the format cannot represent.
    package func document(dates format: DateFormat) throws(MappingError) -> Document {
        if dates.isEmpty || format == .iso8601 { return document }
        var plan = RequestPlan.values
        plan.dates = format
        return try plan.runToDocument { writer throws(MappingFailure) in try writer.value(self) }
    }
}

extension RequestWriter {
    /// Writes a document with all its contents.
    ///
    /// - Throws: ``MappingFailure`` for a date that the format of the current step cannot represent, and
    ///   when a form does not allow the nesting of the containers.
    package mutating func value(_ content: DatedDocument) throws(MappingFailure) {
        var dates = content.dates[...]
        try value(content.document.root, &dates)
    }

    private mutating func value(
        _ node: Node, _ dates: inout ArraySlice<DatedDocument.DateNode>
    ) throws(MappingFailure) {
        func takeDate(_ index: Int) -> Date? {
            dates.first?.index == index ? dates.removeFirst().date : nil
        }
        guard !dates.isEmpty else { return try value(node) }
        switch node.kind {
        case .object:
            let start = try beginContainer()
            for (key, member) in node.members {
                // The key of a member precedes its value.
                let name = try takeDate(member.index - 1).map { date throws(MappingFailure) in
                    try text(of: date)
                }
                let keyStart = count
                beginMember(name ?? key)
                let valueStart = count
                do throws(MappingFailure) {
                    try value(member, &dates)
                } catch {
                    throw located(error, key: key)
                }
                if count == valueStart { truncate(to: keyStart) }
            }
            endObject(start)
        case .array:
            let start = try beginContainer()
            for (index, element) in node.elements.enumerated() {
                let valueStart = beginElement()
                do throws(MappingFailure) {
                    try value(element, &dates)
                } catch {
                    throw located(error, index: index)
                }
                endElement(valueStart)
            }
            endList(start)
        default:
            if let date = takeDate(node.index) { return try self.date(date) }
            try value(node)
        }
    }

    /// Writes the members of an object except one, and that one with text.
    fileprivate mutating func members(
        of content: DatedDocument, _ text: String, _ name: String
    ) throws(MappingFailure) {
        let start = try beginContainer()
        for (key, member) in content.document.root.members where key != name {
            let end = member.withView { $0.nextIndex }
            var dates = content.dates.filter { (member.index..<end).contains($0.index) }[...]
            beginMember(key)
            try value(member, &dates)
        }
        beginMember(name)
        string(text)
        endObject(start)
    }

    /// Writes a value, or null in place of one that writes nothing.
    fileprivate mutating func required(_ value: some MappableValue) throws(MappingFailure) {
        let start = count
        try value.write(to: &self)
        if count == start { null() }
    }

    fileprivate mutating func members(
        _ members: [(String, (any MappableValue)?)], _ nested: inout MappingError?
    ) throws(MappingFailure) {
        let start = try beginContainer()
        for (index, member) in members.enumerated() {
            let name = member.0
            if members[..<index].contains(where: { $0.0 == name }) { continue }
            beginMember(name)
            let others = members[(index + 1)...].filter { $0.0 == name }
            do throws(MappingFailure) {
                if others.isEmpty {
                    try represent(member.1, &nested)
                } else {
                    try elements([member.1] + others.map(\.1), &nested)
                }
            } catch {
                throw located(error, key: name)
            }
        }
        endObject(start)
    }

    private mutating func elements(
        _ elements: [(any MappableValue)?], _ nested: inout MappingError?
    ) throws(MappingFailure) {
        let start = try beginContainer()
        for (index, element) in elements.enumerated() {
            _ = beginElement()
            do throws(MappingFailure) {
                try represent(element, &nested)
            } catch {
                throw located(error, index: index)
            }
        }
        endList(start)
    }

    private mutating func represent(
        _ value: (any MappableValue)?, _ nested: inout MappingError?
    ) throws(MappingFailure) {
        switch value {
        case nil: null()
        case let text as String: string(text)
        case let number as Int: self.number(Int64(number))
        case let value?: try represent(value, &nested)
        }
    }

    /// Writes a value by a plan of its own if it consists of objects.
    private mutating func represent<Value: MappableValue>(
        _ value: Value, _ nested: inout MappingError?
    ) throws(MappingFailure) {
        guard Value.relation != nil else { return try required(value) }
        let content: DatedDocument
        do throws(MappingError) {
            content = try DatedDocument(representing: value)
        } catch {
            nested = error
            throw failed(.malformedValue, "a value with a representation", found: "one without")
        }
        try self.value(content)
    }
}

extension MappingError {
    /// Returns the error of a value inside the one at a path.
    fileprivate func inside(_ outer: DocumentPath) -> MappingError {
        guard let issue else { return self }
        return MappingError(
            code, mapping: mapping,
            issue: MappingIssue(
                path: DocumentPath(outer.components + issue.path.components),
                mapping: issue.mapping, property: issue.property, code: issue.code,
                expected: issue.expected, found: issue.found),
            diagnostics: diagnostics, details: details, underlying: underlying)
    }
}
