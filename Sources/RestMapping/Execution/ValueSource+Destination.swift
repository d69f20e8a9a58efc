// SPDX-License-Identifier: Apache-2.0

// The queries of a destination, such as a row of a store.

extension ValueSource {
    /// A Boolean value that indicates whether the representation has no value for the property and
    /// the mapping assigns one nevertheless: the default to an attribute, nothing to a relationship.
    ///
    /// Drafts need not check it; ``read(_:)`` throws.
    @inlinable
    public var isMissing: Bool { unsafe state.pointee.isMissing }

    /// A Boolean value that indicates whether the value is present, and the mapping declares nothing for it
    /// besides its conversion.
    @inlinable @inline(__always)
    package var isPlain: Bool { unsafe !step.pointee.isSpecial && !state.pointee.isMissing }

    /// The value that the mapping declares for a missing one; `nil` if it declares none.
    public var defaultForMissing: (any Sendable)? { stepDetail.defaultValue }

    /// The effect of new objects on those that the relationship holds.
    ///
    /// A store reads it before it maps the new ones.
    public var assignment: AssignmentPolicy {
        unsafe step.pointee.isSpecial ? stepDetail.assignment : .set
    }

    /// The properties of the type or entity that the value is mapped to.
    public var table: PropertyTable { context.plan.tables[unsafe Int(step.pointee.object)] }

    /// Returns the same value at the step to the object that a dynamic mapping chooses, for
    /// destinations that are not typed objects; ``table`` describes that object.
    ///
    /// - Throws: ``MappingFailure`` with the policy applied if no mapping was chosen, or if one was
    ///   chosen that was not compiled with the plan.
    public func chosenSource() throws(MappingFailure) -> ValueSource {
        try MappingChooser(self).chosenSource()
    }

    /// The index of the value on the tape of the run's document; for a value of another document,
    /// the index of the value that it was looked up for.
    package var location: Int { context.location(of: view) }

    /// The policy for a value that does not fit.
    package var policy: IssuePolicy { unsafe step.pointee.policy }

    /// The policy for an object at the step that cannot be built.
    package var objectPolicy: IssuePolicy {
        unsafe state.pointee.objects[Int(step.pointee.object)].policy
    }

    /// The index in the plan of the object at the step.
    package var objectIndex: Int { unsafe Int(step.pointee.object) }

    /// A Boolean value that indicates whether the value is the object itself, of which properties are
    /// assigned to a related object that has been mapped already.
    package var fillsRelatedObject: Bool {
        unsafe step.pointee.isSpecial && stepDetail.kind == .nestedProperties
    }

    /// The type of the values that the mapping validates at the step; `nil` if it validates none.
    package var validatedType: (any Any.Type)? {
        unsafe step.pointee.isSpecial ? stepDetail.validation?.valueType : nil
    }

    /// Validates a value that is about to be assigned, as the mapping declares.
    ///
    /// - Returns: The value to assign; `nil` if the property keeps its value.
    /// - Throws: ``MappingFailure`` with code `validationFailed` if the validation throws.
    package func validated<Value>(_ value: Value) throws(MappingFailure) -> Value? {
        guard let validation = stepDetail.validation as? PropertyValidation<Value> else {
            return value
        }
        let result: Validation<Value>
        do { result = try validation.check(value) } catch {
            context.issues.underlyingError = error
            throw failure(.validationFailed, "what its validation accepts")
        }
        switch result {
        case .accept: return value
        case .replace(let other): return other
        case .reject:
            EventReporter(self).report(.rejected(value))
            return nil
        }
    }

    /// Reports to the observer that the destination took a value.
    package func reportAssigned(_ value: @autoclosure () -> Any) {
        EventReporter(self).report(.set(value()))
    }

    /// Walks the object and passes its properties to a destination.
    ///
    /// The plan is the one of the related mapping at this step.
    ///
    /// - Throws: ``MappingFailure`` when the policy is to fail the object for one of its values, when
    ///   none of its mapped keys is present, when objects are nested deeper than
    ///   ``MappingLimits/depth``, independent of the document's own limit, or when the run visits the
    ///   document more often than ``MappingEnvironment/passLimit`` allows.
    @inlinable @inline(__always)
    public func walk<Destination: MappingDestination>(
        into destination: inout Destination
    ) throws(MappingFailure) {
        try PlanExecutor(self).walk(into: &destination)
    }
}
