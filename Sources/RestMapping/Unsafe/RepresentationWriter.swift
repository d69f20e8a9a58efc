// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// Writes the representation of objects as a plan says, straight to JSON text.
///
/// A value writes itself by calling one of the functions here, or ``MappableValue/write(to:)`` of a
/// value it is made of. Where nothing at all is written, the key is left out, an element is null.
///
/// Invariant: made by a plan that runs and keeps its storage alive for as long; `step` points into
/// that storage.
@safe
public struct RepresentationWriter: ~Copyable {
    let plan: ParameterPlan
    @usableFromInline let objects: UnsafePointer<ParameterObject>
    @usableFromInline let steps: UnsafePointer<ParameterStep>
    private let keyText: UnsafePointer<UInt8>
    @usableFromInline var step: UnsafePointer<ParameterStep>
    /// Whether nil is nothing instead of null where the writer is.
    @usableFromInline var omitsNil = false
    /// Whether what is written is the result of the attribute's transform.
    var isTransformed = false
    private(set) var output: EncodedText
    private var depth = 0
    var failure = FailurePlace()

    init(_ plan: ParameterPlan, root: UnsafePointer<ParameterStep>) {
        self.plan = plan
        unsafe objects = plan.storage.objects
        unsafe steps = plan.storage.steps
        unsafe keyText = plan.storage.keyText
        unsafe step = root
        output = EncodedText()
    }

    deinit { output.free() }

    /// Takes out what was written.
    mutating func takeDocument() throws(DocumentError) -> Document {
        let text = output
        output = EncodedText(capacity: 1)
        return try text.document()
    }

    /// How many bytes were written.
    @usableFromInline var count: Int { output.count }

    // MARK: Values

    /// Writes a value in the form the mapping declares for it, or else in its own.
    ///
    /// - Throws: ``MappingFailure`` when it has no representation.
    @inlinable @inline(__always)
    public mutating func write<Value: MappableValue>(
        _ value: Value
    ) throws(MappingFailure) {
        if unsafe step.pointee.isTransformed { return try writeTransformed(value) }
        try value.write(to: &self)
    }

    /// Writes the null of an absent value, or nothing where the mapping leaves nil out.
    public mutating func writeNil() {
        if !omitsNil { null() }
    }

    /// Writes `null`.
    public mutating func null() { output.appendPlain("null") }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) { output.append(value) }

    /// Writes text.
    public mutating func string(_ value: String) { output.appendQuoted(value) }

    /// Writes a whole number.
    public mutating func number(_ value: Int64) { output.append(whole: value) }

    /// Writes a whole number of any size.
    @usableFromInline
    mutating func number(wide value: some FixedWidthInteger) {
        output.appendPlain(value.description)
    }

    /// Writes a number with the fewest digits that read back as the same double.
    ///
    /// - Throws: ``MappingFailure`` for infinities and NaN, which JSON has not.
    public mutating func number(_ value: Double) throws(MappingFailure) {
        guard value.isFinite else { throw notFinite() }
        output.append(value)
    }

    /// Writes a number with the fewest digits that read back as the same float.
    ///
    /// - Throws: ``MappingFailure`` for infinities and NaN, which JSON has not.
    public mutating func number(_ value: Float) throws(MappingFailure) {
        guard value.isFinite else { throw notFinite() }
        output.append(value)
    }

    /// Writes a value of a document with everything in it.
    public mutating func value(_ node: Node) {
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
        let start = beginContainer()
        let omitted = omitsNil
        var index = 0
        do throws(MappingFailure) {
            for element in elements {
                let place = beginElement()
                try write(element)
                endElement(place)
                index &+= 1
            }
        } catch {
            throw note(error, index: index)
        }
        omitsNil = omitted
        endList(start)
    }

    /// Writes an object of members in the order they come.
    ///
    /// - Throws: ``MappingFailure`` when a value has no representation.
    @inlinable
    public mutating func members<Members: Sequence, Value: MappableValue>(
        _ members: Members
    ) throws(MappingFailure) where Members.Element == (key: String, value: Value) {
        let start = beginContainer()
        let omitted = omitsNil
        for (key, value) in members {
            let keyStart = count
            beginMember(key)
            let place = count
            do throws(MappingFailure) {
                try write(value)
            } catch {
                throw note(error, key: key)
            }
            if count == place { takeBack(to: keyStart) }
        }
        omitsNil = omitted
        endObject(start)
    }

    /// Writes an object as the mapping says that the plan has for it here.
    ///
    /// - Throws: ``MappingFailure`` when a property has no representation, or when objects are
    ///   nested deeper than ``MappingLimits/depth``, as those of a cycle are.
    @inlinable
    public mutating func object<Subject: RepresentationSource>(
        _ subject: Subject
    ) throws(MappingFailure) {
        let outer = unsafe step
        try object(try enter(), of: subject)
        unsafe step = outer
        leave()
    }
}

// MARK: - Objects

extension RepresentationWriter {
    /// Finds out how an object is written, one level deeper.
    @usableFromInline
    mutating func enter() throws(MappingFailure) -> Int {
        depth &+= 1
        guard depth <= MappingLimits.depth else {
            throw failed(
                .depthExceeded, "related objects nested at most \(MappingLimits.depth) deep",
                found: "an object")
        }
        let object = unsafe Int(step.pointee.object)
        precondition(object >= 0, "a plan knows the objects it writes")
        return object
    }

    @usableFromInline
    mutating func leave() { depth &-= 1 }

    @inlinable
    mutating func object<Subject: RepresentationSource>(
        _ index: Int, of subject: Subject
    ) throws(MappingFailure) {
        let object = unsafe objects[index]
        if object.kind != .members { return try unwritten(object, of: subject) }
        let start = beginContainer()
        var next = Int(object.firstStep)
        while next < Int(object.endStep) {
            do throws(MappingFailure) {
                if unsafe steps[next].action == .value {
                    let place = beginProperty(next)
                    try unsafe subject.write(Int(step.pointee.property), to: &self)
                    endProperty(next, place)
                } else {
                    try nested(next, of: subject)
                }
            } catch {
                throw note(error, step: next, of: object)
            }
            next &+= 1
        }
        endObject(start)
    }

    /// An object that another stands for: the value that a path leads to through it, or what the
    /// mapping makes of it that is chosen for it.
    @inlinable @inline(never)
    mutating func unwritten<Subject: RepresentationSource>(
        _ object: ParameterObject, of subject: Subject
    ) throws(MappingFailure) {
        if object.kind == .chosen {
            let chosen = try choose(Int(object.mapping), for: subject)
            return try self.object(chosen, of: subject)
        }
        unsafe step = steps + Int(object.firstStep)
        omitsNil = unsafe step.pointee.omitsNil
        try unsafe subject.write(Int(step.pointee.property), to: &self)
    }

    /// A nested object, which is left out if nothing is in it.
    @inlinable @inline(never)
    mutating func nested<Subject: RepresentationSource>(
        _ next: Int, of subject: Subject
    ) throws(MappingFailure) {
        let keyStart = count
        let outer = unsafe steps + next
        let isUnderValue = unsafe outer.pointee.action == .nestedUnderValue
        let place: Int
        if isUnderValue {
            let text = beginValueKey()
            unsafe step = outer
            omitsNil = false
            try unsafe subject.write(Int(outer.pointee.property), to: &self)
            place = try endValueKey(text)
        } else {
            place = beginProperty(next)
        }
        try unsafe object(Int(outer.pointee.object), of: subject)
        let isEmpty = count == place || !isUnderValue && count == place &+ 2
        if isEmpty { takeBack(to: keyStart) }
    }

    // MARK: Punctuation

    @usableFromInline
    func beginContainer() -> Int { output.count }

    @usableFromInline
    mutating func beginElement() -> Int {
        output.appendByte(UInt8(ascii: ","))
        omitsNil = false
        return output.count
    }

    /// Ends an element: null if nothing was written from its place on.
    @usableFromInline
    mutating func endElement(_ place: Int) {
        if output.count == place { null() }
    }

    @usableFromInline
    mutating func endList(_ start: Int) { end(start, UInt8(ascii: "["), UInt8(ascii: "]")) }

    @usableFromInline
    mutating func endObject(_ start: Int) { end(start, UInt8(ascii: "{"), UInt8(ascii: "}")) }

    /// Every member is written with a comma before it; the first one's becomes the bracket.
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
        let key = unsafe keyText + Int(step.pointee.key)
        unsafe output.append(padded: key, Int(step.pointee.keyLength))
        return output.count
    }

    /// Takes back a step's key if nothing was written from the place behind it on.
    @usableFromInline
    mutating func endProperty(_ next: Int, _ place: Int) {
        if output.count > place { return }
        let keyLength = unsafe Int(steps[next].keyLength)
        takeBack(to: place &- keyLength)
    }

    @usableFromInline
    mutating func beginMember(_ key: String) {
        output.appendByte(UInt8(ascii: ","))
        output.appendQuoted(key)
        output.appendByte(UInt8(ascii: ":"))
        omitsNil = false
    }

    @usableFromInline
    mutating func takeBack(to start: Int) { output.truncate(to: start) }

    @usableFromInline
    mutating func beginValueKey() -> Int {
        output.appendByte(UInt8(ascii: ","))
        return output.count
    }

    /// Makes a key of the value written from a place on.
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
        output.appendByte(UInt8(ascii: ":"))
        return output.count
    }
}
