// SPDX-License-Identifier: Apache-2.0

import RestDocument

// A form is written value by value, like JSON text. Numbers and dates have the same text in both, so
// they are written as JSON text first, which becomes the value of a pair.

extension RequestWriter {
    /// Exchanges the form with another one; nil to write JSON text.
    mutating func exchange(_ other: inout FormWriter?) {
        swap(&form, &other)
        isForm = form != nil
    }

    /// The number of bytes of the form.
    var formCount: Int { form?.count ?? 0 }

    mutating func truncateForm(to count: Int) { form?.truncate(to: count) }

    // MARK: Values

    mutating func addNull() { form?.null() }

    mutating func add(_ value: Bool) { form?.bool(value) }

    mutating func add(_ value: String) { form?.text(value.utf8) }

    /// Adds the number or the quoted text of the output as a value, and empties the output.
    mutating func addOutput() {
        let isQuoted = output.byte(at: 0) == UInt8(ascii: "\"")
        unsafe form?.text(isQuoted ? output.bytes.dropFirst().dropLast() : output.bytes[...])
        output.truncate(to: 0)
    }

    mutating func add(_ node: Node) throws(MappingFailure) {
        do throws(DocumentError) {
            try form?.value(node)
        } catch {
            throw error.code == .unwritableValue ? nestedInPlainList() : nestedTooDeeply()
        }
    }

    // MARK: Containers

    mutating func addContainer() throws(MappingFailure) {
        guard form?.allowsContainer == true else {
            throw form?.isInPlainList == true ? nestedInPlainList() : nestedTooDeeply()
        }
        form?.beginContainer()
    }

    /// Begins an element; returns the number of bytes before it.
    mutating func addElement() -> Int {
        form?.beginElement()
        return formCount
    }

    /// Begins a member; returns the number of bytes before it.
    mutating func addMember(_ key: String) -> Int {
        form?.beginMember(key)
        return formCount
    }

    /// Begins a member whose key is the JSON string in the output; empties the output.
    mutating func addMemberOfOutput(from start: Int) -> Int {
        let text = unsafe Array(output.bytes[start...])
        output.truncate(to: 0)
        isForm = true
        let key = try? Document(parsing: text).root.string
        return addMember(key ?? "")
    }

    mutating func endFormArray() { form?.endArray() }

    mutating func endFormObject() { form?.endObject() }

    private mutating func nestedInPlainList() -> MappingFailure {
        failed(.unmappable, FormStyle.nestedListAdvice, found: "an object or a list")
    }

    private mutating func nestedTooDeeply() -> MappingFailure {
        failed(
            .depthExceeded, "containers nested at most as deep as the form format allows",
            found: "a container nested deeper")
    }
}
