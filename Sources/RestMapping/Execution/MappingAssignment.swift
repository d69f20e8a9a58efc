// SPDX-License-Identifier: Apache-2.0

extension MappingSource {
    /// Converts the value for a property and stores it in a draft.
    ///
    /// A plain step converts and stores; all that a mapping may declare besides, such as a transform
    /// or a union with the current value, is behind one comparison.
    ///
    /// - Parameters:
    ///   - target: Where the draft keeps the property; nil while nothing was assigned.
    ///   - current: What the property holds if nothing was assigned, for drafts that keep it
    ///     elsewhere.
    ///   - default: What the declaration of the property gives it.
    /// - Throws: ``MappingFailure`` when the value does not fit; the target is as it was.
    @inlinable @inline(__always)
    public func assign<Value: MappableValue>(
        _ target: inout Value?, current: @autoclosure () -> Value? = nil,
        default: @autoclosure () -> Value? = nil
    ) throws(MappingFailure) {
        if unsafe step.pointee.isSpecial {
            return try assignSpecially(&target, current: current, default: `default`)
        }
        target = try Value.map(from: self)
    }

    /// Converts the value for an optional property and stores it in a draft where nil and "not
    /// assigned" are the same.
    ///
    /// - Parameters:
    ///   - target: Where the draft keeps the property, and its current value.
    ///   - default: What the declaration of the property gives it.
    /// - Throws: ``MappingFailure`` when the value does not fit; the target is as it was.
    @inlinable @inline(__always)
    public func assign<Value: MappableValue>(
        nullable target: inout Value?, default: @autoclosure () -> Value? = nil
    ) throws(MappingFailure) {
        if unsafe step.pointee.isSpecial {
            return try assignSpecially(nullable: &target, default: `default`)
        }
        target = try Value?.map(from: self)
    }
}

// MARK: - Special steps

extension MappingSource {
    @usableFromInline
    func assignSpecially<Value: MappableValue>(
        _ target: inout Value?, current: () -> Value?, default: () -> Value?
    ) throws(MappingFailure) {
        if let change = try change(to: Value.self, target ?? current(), `default`()) {
            target = change
        }
    }

    @usableFromInline
    func assignSpecially<Value: MappableValue>(
        nullable target: inout Value?, default: () -> Value?
    ) throws(MappingFailure) {
        if let change = try change(to: Value?.self, .some(target), .some(`default`())) {
            target = change
        }
    }

    /// What the property is to become; nil if it is to stay as it is.
    ///
    /// Related objects are mapped in this frame, once for every level: what is large is in frames
    /// of its own.
    private func change<Value: MappableValue>(
        to type: Value.Type, _ current: Value?, _ defaultValue: Value?
    ) throws(MappingFailure) -> Value? {
        if isMissing { return try changeForMissing(detail, current, defaultValue) }
        let value: Value
        do throws(MappingFailure) {
            value = isPlain ? try Value.map(from: self) : try unusualValue(current)
        } catch {
            watchConversion(hasValue: false)
            throw error
        }
        return try conclude(value, current)
    }

    /// Whether the value is what its type makes of it.
    private var isPlain: Bool {
        let index = stepIndex
        return context.plan.details[index].kind != .part
            && context.plan.details[index].transform == nil
    }

    private func unusualValue<Value: MappableValue>(
        _ current: Value?
    ) throws(MappingFailure) -> Value {
        let detail = detail
        return detail.kind == .part ? try part(of: current) : try converted(detail)
    }

    private func watchConversion(hasValue: Bool) {
        guard context.plan.details[stepIndex].kind == .attribute else { return }
        watch(hasValue ? .found : .notFound)
    }

    /// Unites a new value with the current one if the mapping says so, and asks who may object.
    private func conclude<Value: MappableValue>(
        _ value: Value, _ current: Value?
    ) throws(MappingFailure) -> Value? {
        watchConversion(hasValue: true)
        let detail = detail
        var value = value
        if detail.assignment == .union, let current {
            if OptionalTypes.isNil(value) { return nil }
            value = UnitableTypes.united(current, value) ?? value
        }
        let isFilled = unsafe frame.pointee.depth == frame.pointee.filledDepth
        let change = try decide(on: value, over: isFilled ? current : nil, detail)
        if detail.isHeld { hold(change ?? current) }
        return change
    }

    /// A missing value becomes a default, nil or nothing, as the mapping says.
    private func changeForMissing<Value: MappableValue>(
        _ detail: StepDetail, _ current: Value?, _ defaultValue: Value?
    ) throws(MappingFailure) -> Value? {
        if detail.kind == .attribute, detail.missing != .keep { watch(.notFound) }
        let value: Value?
        switch detail.missing {
        case .keep: value = nil
        case .assignDefault:
            value = detail.defaultValue as? Value ?? defaultValue ?? OptionalTypes.nilValue()
        case .assignNil: value = OptionalTypes.nilValue() ?? UnitableTypes.empty()
        }
        let isFilled = unsafe frame.pointee.depth == frame.pointee.filledDepth
        let change = try value.flatMap { value throws(MappingFailure) in
            try decide(on: value, over: isFilled ? current : nil, detail)
        }
        if detail.isHeld { hold(change ?? current) }
        return change
    }

    /// Asks everybody who may object to a new value.
    private func decide<Value>(
        on value: Value, over current: Value?, _ detail: StepDetail
    ) throws(MappingFailure) -> Value? {
        let isWanted = shouldSet(value)
        if let current, !isWanted || OptionalTypes.areEqual(current, value) {
            watch(.unchanged(value))
            return nil
        }
        if !isWanted {
            watch(.unchanged(value))
            return nil
        }
        guard let validation = detail.validation as? PropertyValidation<Value> else {
            watch(.set(value))
            return value
        }
        let verdict: Validation<Value>
        do { verdict = try validation.check(value) } catch {
            context.underlying = error
            throw failure(.validationFailed, "what its validation accepts")
        }
        switch verdict {
        case .accept:
            watch(.set(value))
            return value
        case .replace(let other):
            watch(.set(other))
            return other
        case .reject:
            watch(.rejected(value))
            return nil
        }
    }

    private func converted<Value: MappableValue>(
        _ detail: StepDetail
    ) throws(MappingFailure) -> Value {
        switch detail.transform {
        case nil: return try Value.map(from: self)
        case let transform as ValueTransform<Value>: return try transform.apply(self)
        case let hook as TransformerHook: return try hook.value(from: self)
        default: throw failure(.transformFailed, "a transform to \(Value.self)")
        }
    }

    @usableFromInline
    func readSpecially<Value: MappableValue>(_ type: Value.Type) throws(MappingFailure) -> Value {
        if isMissing { throw failure(.missingValue, "a value") }
        return try converted(detail)
    }

    /// Fills a part of the object that the property holds, or of a new one if it holds none.
    private func part<Value>(of current: Value?) throws(MappingFailure) -> Value {
        func filled<Part: Mapped>(_ type: Part.Type) throws(MappingFailure) -> Any {
            guard let part = current.flatMap({ $0 as? Part }) else {
                return try Part.map(from: self)
            }
            // An instance that others may see is not touched before nothing can fail any more.
            guard Part.self is AnyObject.Type else {
                return try Part.map(from: self, editing: part)
            }
            try Part.prepare(from: self, editing: part)
            return part
        }
        guard let type = OptionalTypes.wrapped(Value.self) as? any Mapped.Type,
            let value = try filled(type) as? Value
        else { throw failure(.typeMismatch, "an object that can be filled") }
        return value
    }
}

// MARK: - What a destination of another kind may ask

extension MappingSource {
    /// Whether the representation has no value for the property and the mapping says what it
    /// becomes then: the default for an attribute, nothing for a relationship.
    ///
    /// Drafts need not ask; ``read(_:)`` throws.
    @inlinable
    public var isMissing: Bool { unsafe frame.pointee.isMissing }

    /// The value that the mapping declares for a missing one; nil if it declares none.
    public var defaultForMissing: (any Sendable)? { detail.defaultValue }

    /// What the mapping says of the objects that a relationship holds when others arrive.
    ///
    /// A store asks it before it maps the new ones.
    public var assignment: AssignmentPolicy {
        unsafe step.pointee.isSpecial ? detail.assignment : .set
    }

    /// Index of the value in the document of the run, or of the place there where a value that is
    /// made of others was asked for.
    public var place: Int { context.place(of: node) }
}
