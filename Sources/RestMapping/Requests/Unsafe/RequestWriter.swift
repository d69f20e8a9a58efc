// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A writer of the representation of objects by a plan, directly as JSON text or as a form.
///
/// A value writes itself by calling one of the functions here, or ``MappableValue/write(to:)`` of a
/// value it consists of. If nothing is written for a member, its key is left out; an element
/// becomes null.
///
/// Invariant: created by a running plan, which keeps its storage alive for as long; `step` points
/// into that storage.
@safe
public struct RequestWriter: ~Copyable {
    let plan: RequestPlan
    @usableFromInline let objects: UnsafePointer<RequestObjectPlan>
    @usableFromInline let steps: UnsafePointer<RequestStep>
    private let keyText: UnsafePointer<UInt8>
    @usableFromInline var step: UnsafePointer<RequestStep>
    /// A Boolean value that indicates whether nil is left out instead of being written as null at
    /// the current step.
    @usableFromInline var omitsNil = false
    /// A Boolean value that indicates whether the current value is the result of the attribute's
    /// transform.
    var isTransformed = false
    /// The JSON text; for a form, that of the value that is being written.
    private(set) var output: JSONTextBuffer
    /// The form; nil for JSON text.
    var form: FormWriter?
    /// A Boolean value that indicates whether values are added to the form.
    ///
    /// It is false for JSON text, and for a value that becomes a name of the form.
    @usableFromInline var isForm = false
    private var depth = 0
    /// A Boolean value that indicates whether the next object of a list adds its members to an object
    /// that all objects of the list have in common.
    private var isMember = false
    var failure = FailureLocation()
    /// A Boolean value that indicates whether the dates whose format no mapping declares are recorded.
    var recordsDates = false
    /// The recorded dates, by their positions in the JSON text.
    var recordedDates: [DatedDocument.DateNode] = []

    init(_ plan: RequestPlan, root: UnsafePointer<RequestStep>) {
        self.plan = plan
        unsafe objects = plan.storage.objects
        unsafe steps = plan.storage.steps
        unsafe keyText = plan.storage.keyText
        unsafe step = root
        output = JSONTextBuffer()
    }

    deinit { output.free() }

    /// Returns the written text as a document and empties the writer.
    mutating func takeDocument() throws(DocumentError) -> Document {
        let text = output
        output = JSONTextBuffer(capacity: 1)
        return try text.document()
    }

    /// The number of bytes written.
    @usableFromInline var count: Int { isForm ? formCount : output.count }

    // MARK: Values

    /// Writes a value as the mapping declares, or else in the form of its type.
    ///
    /// - Throws: ``MappingFailure`` when it has no representation.
    @inlinable @inline(__always)
    public mutating func write<Value: MappableValue>(
        _ value: Value
    ) throws(MappingFailure) {
        if unsafe step.pointee.isTransformed { return try writeTransformed(value) }
        try value.write(to: &self)
    }

    /// Writes null for an absent value, or nothing if the mapping leaves nil out.
    public mutating func writeNil() {
        if !omitsNil { null() }
    }

    /// Writes `null`.
    public mutating func null() {
        if isForm { return addNull() }
        output.appendPlain("null")
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        if isForm { return add(value) }
        output.append(value)
    }

    /// Writes text.
    public mutating func string(_ value: String) {
        if isForm { return add(value) }
        output.appendQuoted(value)
    }

    /// Writes a whole number.
    public mutating func number(_ value: Int64) {
        output.append(whole: value)
        if isForm { addOutput() }
    }

    /// Writes a whole number of any size.
    @usableFromInline
    mutating func number(wide value: some FixedWidthInteger) {
        output.appendPlain(value.description)
        if isForm { addOutput() }
    }

    /// Writes a number with the fewest digits that parse to the same double.
    ///
    /// - Throws: ``MappingFailure`` for infinities and NaN, which JSON does not support.
    public mutating func number(_ value: Double) throws(MappingFailure) {
        guard value.isFinite else { throw notFinite() }
        output.append(value)
        if isForm { addOutput() }
    }

    /// Writes a number with the fewest digits that parse to the same float.
    ///
    /// - Throws: ``MappingFailure`` for infinities and NaN, which JSON does not support.
    public mutating func number(_ value: Float) throws(MappingFailure) {
        guard value.isFinite else { throw notFinite() }
        output.append(value)
        if isForm { addOutput() }
    }

    /// Writes a value of a document with all its contents.
    ///
    /// - Throws: ``MappingFailure`` when a form does not allow the nesting of its containers.
    public mutating func value(_ node: Node) throws(MappingFailure) {
        if isForm { return try add(node) }
        let bytes = JSONWriter.compact.bytes(of: node)
        unsafe bytes.withUnsafeBufferPointer { bytes in unsafe output.append(bytes) }
    }

    /// Writes a list.
    ///
    /// - Throws: ``MappingFailure`` when an element has no representation.
    @inlinable
    public mutating func list<Elements: Sequence>(
        _ elements: Elements
    ) throws(MappingFailure) where Elements.Element: MappableValue {
        if isMemberList { return try memberList(elements) }
        let start = try beginContainer()
        let omitted = omitsNil
        var index = 0
        do throws(MappingFailure) {
            for element in elements {
                let valueStart = beginElement()
                try write(element)
                endElement(valueStart)
                index &+= 1
            }
        } catch {
            throw located(error, index: index)
        }
        omitsNil = omitted
        endList(start)
    }

    /// Writes an object with members in the given order.
    ///
    /// - Throws: ``MappingFailure`` when a value has no representation.
    @inlinable
    public mutating func members<Members: Sequence, Value: MappableValue>(
        _ members: Members
    ) throws(MappingFailure) where Members.Element == (key: String, value: Value) {
        let start = try beginContainer()
        let omitted = omitsNil
        for (key, value) in members {
            let keyStart = count
            beginMember(key)
            let valueStart = count
            do throws(MappingFailure) {
                try write(value)
            } catch {
                throw located(error, key: key)
            }
            if count == valueStart { truncate(to: keyStart) }
        }
        omitsNil = omitted
        endObject(start)
    }

    /// Writes an object by the mapping that the plan has for it at the current step.
    ///
    /// - Throws: ``MappingFailure`` when a property has no representation, or when objects are
    ///   nested deeper than ``MappingLimits/depth``, as those of a cycle are.
    @inlinable
    public mutating func object<Subject: RequestSubject>(
        _ subject: Subject
    ) throws(MappingFailure) {
        let outer = unsafe step
        try object(try enter(), of: subject)
        unsafe step = outer
        leave()
    }
}

// MARK: - Objects

extension RequestWriter {
    /// Returns the index of the object plan at the current step, one level deeper.
    @usableFromInline
    mutating func enter() throws(MappingFailure) -> Int {
        depth &+= 1
        guard depth <= MappingLimits.depth else {
            throw failed(
                .depthExceeded, "related objects nested at most \(MappingLimits.depth) deep",
                found: "an object")
        }
        let object = unsafe Int(step.pointee.object)
        precondition(object >= 0, "the plan has no object for the current step")
        return object
    }

    @usableFromInline
    mutating func leave() { depth &-= 1 }

    @inlinable
    mutating func object<Subject: RequestSubject>(
        _ index: Int, of subject: Subject
    ) throws(MappingFailure) {
        let object = unsafe objects[index]
        if object.kind != .members { return try writeIndirectly(object, of: subject) }
        let start = try beginContainer()
        try writeMembers(object, of: subject)
        endObject(start)
    }

    @inlinable @inline(__always)
    mutating func writeMembers<Subject: RequestSubject>(
        _ object: RequestObjectPlan, of subject: Subject
    ) throws(MappingFailure) {
        var next = Int(object.firstStep)
        while next < Int(object.endStep) {
            do throws(MappingFailure) {
                if unsafe steps[next].action == .value {
                    let valueStart = beginProperty(next)
                    try unsafe subject.write(Int(step.pointee.property), to: &self)
                    endProperty(next, valueStart)
                } else {
                    try nested(next, of: subject)
                }
            } catch {
                throw located(error, step: next, of: object)
            }
            next &+= 1
        }
    }

    /// Writes an object that is not written as members: the value at the end of a path through it,
    /// or the object of the mapping that is chosen for it.
    @inlinable @inline(never)
    mutating func writeIndirectly<Subject: RequestSubject>(
        _ object: RequestObjectPlan, of subject: Subject
    ) throws(MappingFailure) {
        switch object.kind {
        case .chosen:
            let chosen = try choose(Int(object.mapping), for: subject)
            return try self.object(chosen, of: subject)
        case .elements: return try writeElements(object, of: subject)
        case .memberList:
            if takeMember() { return try writeMembers(object, of: subject) }
            let start = try beginContainer()
            try writeMembers(object, of: subject)
            return endObject(start)
        case .projection, .members: break
        }
        unsafe step = steps + Int(object.firstStep)
        omitsNil = unsafe step.pointee.omitsNil
        try unsafe subject.write(Int(step.pointee.property), to: &self)
    }

    /// Writes a nested object, which is left out if it is empty.
    @inlinable @inline(never)
    mutating func nested<Subject: RequestSubject>(
        _ next: Int, of subject: Subject
    ) throws(MappingFailure) {
        let keyStart = count
        let outer = unsafe steps + next
        let isUnderValue = unsafe outer.pointee.action == .nestedUnderValue
        let valueStart: Int
        if isUnderValue {
            let text = beginValueKey()
            unsafe step = outer
            omitsNil = false
            try unsafe subject.write(Int(outer.pointee.property), to: &self)
            valueStart = try endValueKey(text)
        } else {
            valueStart = beginProperty(next)
        }
        try unsafe object(Int(outer.pointee.object), of: subject)
        let isEmpty = count == valueStart || !isUnderValue && count == valueStart &+ 2
        if isEmpty { truncate(to: keyStart) }
    }

    // MARK: Member lists

    /// Begins an object of a list that adds its members to those of the others.
    @usableFromInline
    mutating func beginMembers() -> Int {
        isMember = true
        return count
    }

    /// Ends such an object; a value that is no object is removed.
    @usableFromInline
    mutating func endMembers(_ start: Int) {
        if takeMember() { truncate(to: start) }
    }

    /// Returns a Boolean value that indicates whether the current object adds its members to those of
    /// the others, which is then no longer so for the objects inside it.
    @usableFromInline
    mutating func takeMember() -> Bool {
        defer { isMember = false }
        return isMember
    }

    // MARK: Punctuation

    @usableFromInline
    mutating func beginContainer() throws(MappingFailure) -> Int {
        if isForm { try addContainer() }
        return count
    }

    @usableFromInline
    mutating func beginElement() -> Int {
        omitsNil = false
        if isForm { return addElement() }
        output.appendByte(UInt8(ascii: ","))
        return output.count
    }

    /// Ends an element, which is null if nothing was written since its start.
    @usableFromInline
    mutating func endElement(_ start: Int) {
        if count == start { null() }
    }

    @usableFromInline
    mutating func endList(_ start: Int) {
        if isForm { return endFormArray() }
        end(start, UInt8(ascii: "["), UInt8(ascii: "]"))
    }

    @usableFromInline
    mutating func endObject(_ start: Int) {
        if isForm { return endFormObject() }
        end(start, UInt8(ascii: "{"), UInt8(ascii: "}"))
    }

    /// Every member is written with a comma before it; the comma of the first becomes the bracket.
    private mutating func end(_ start: Int, _ opening: UInt8, _ closing: UInt8) {
        if output.count == start {
            output.appendByte(opening)
        } else {
            output.replace(at: start, with: opening)
        }
        output.appendByte(closing)
    }

    /// Writes a step's key.
    @usableFromInline
    mutating func beginProperty(_ next: Int) -> Int {
        let step = unsafe steps + next
        unsafe self.step = step
        omitsNil = unsafe step.pointee.omitsNil
        if isForm { return addMember(plan.keyNames[next]) }
        let key = unsafe keyText + Int(step.pointee.key)
        unsafe output.append(padded: key, Int(step.pointee.keyLength))
        return output.count
    }

    /// Removes a step's key if nothing was written after it.
    @usableFromInline
    mutating func endProperty(_ next: Int, _ start: Int) {
        if isForm || output.count > start { return }
        let keyLength = unsafe Int(steps[next].keyLength)
        truncate(to: start &- keyLength)
    }

    @usableFromInline
    mutating func beginMember(_ key: String) {
        omitsNil = false
        if isForm {
            _ = addMember(key)
            return
        }
        output.appendByte(UInt8(ascii: ","))
        output.appendQuoted(key)
        output.appendByte(UInt8(ascii: ":"))
    }

    @usableFromInline
    mutating func truncate(to start: Int) {
        if isForm { return truncateForm(to: start) }
        output.truncate(to: start)
        while let last = recordedDates.last, last.index >= start { recordedDates.removeLast() }
    }

    @usableFromInline
    mutating func beginValueKey() -> Int {
        isForm = false
        output.appendByte(UInt8(ascii: ","))
        return output.count
    }

    /// Turns the value that was written since a start into a key.
    @usableFromInline
    mutating func endValueKey(_ start: Int) throws(MappingFailure) -> Int {
        let first = output.byte(at: start) ?? UInt8(ascii: "n")
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            throw failed(.typeMismatch, "text to use as a key", found: "a collection")
        case UInt8(ascii: "n"):
            throw failed(.nullValue, "text to use as a key", found: "null")
        case UInt8(ascii: "\""): break
        default:
            output.insert(UInt8(ascii: "\""), at: start)
            output.appendByte(UInt8(ascii: "\""))
        }
        if form != nil { return addMemberOfOutput(from: start) }
        output.appendByte(UInt8(ascii: ":"))
        return output.count
    }
}
