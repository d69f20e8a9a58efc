// SPDX-License-Identifier: Apache-2.0

import RestDocument

// Objects that are lists of values by position, and lists of objects that are members of one object.

extension RequestWriter {
    /// A Boolean value that indicates whether lists of objects at the current step are written as one
    /// object with the members of all.
    @usableFromInline var isMemberList: Bool {
        let object = unsafe Int(step.pointee.object)
        return object >= 0 ? unsafe objects[object].kind == .memberList : false
    }

    /// Writes a list of objects as one object with the members of all; nil adds none.
    @inlinable @inline(never)
    mutating func memberList<Elements: Sequence>(
        _ elements: Elements
    ) throws(MappingFailure) where Elements.Element: MappableValue {
        let start = try beginContainer()
        let omitted = omitsNil
        for element in elements {
            let memberStart = beginMembers()
            try write(element)
            endMembers(memberStart)
        }
        omitsNil = omitted
        endObject(start)
    }

    /// Writes the values of an object as the elements of a list.
    @inlinable @inline(never)
    mutating func writeElements<Subject: RequestSubject>(
        _ object: RequestObjectPlan, of subject: Subject
    ) throws(MappingFailure) {
        let start = try beginContainer()
        for next in Int(object.firstStep)..<Int(object.endStep) {
            let valueStart = beginElement()
            unsafe step = steps + next
            let property = unsafe Int(steps[next].property)
            do throws(MappingFailure) {
                if property >= 0 { try subject.write(property, to: &self) }
            } catch {
                throw located(error, step: next, of: object)
            }
            endElement(valueStart)
        }
        endList(start)
    }
}
