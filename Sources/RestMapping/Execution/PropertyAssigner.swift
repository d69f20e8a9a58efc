// SPDX-License-Identifier: Apache-2.0

/// Assigns properties by steps that are not plain: with transforms, defaults, unions, validations and
/// observers.
@frozen
@usableFromInline
struct PropertyAssigner {
    @usableFromInline let source: ValueSource

    @inlinable @inline(__always)
    init(_ source: ValueSource) { self.source = source }

    @usableFromInline
    func assign<Value: MappableValue>(_ target: inout Value?) throws(MappingFailure) {
        if let change = try change(to: Value.self, target, nil) { target = change }
    }

    @usableFromInline
    func assign<Value: MappableValue>(
        _ target: inout Value?, current: () -> Value?, default: () -> Value?
    ) throws(MappingFailure) {
        if let change = try change(to: Value.self, target ?? current(), `default`()) {
            target = change
        }
    }

    @usableFromInline
    func assign<Value: MappableValue>(
        collection target: inout Value?
    ) throws(MappingFailure) where Value: MergeableCollection {
        if let change = try change(to: Value.self, target, Value()) { target = change }
    }

    @usableFromInline
    func assign<Value: MappableValue>(nullable target: inout Value?) throws(MappingFailure) {
        if let change = try change(to: Value?.self, .some(target), .some(nil)) { target = change }
    }

    @usableFromInline
    func read<Value: MappableValue>(_ type: Value.Type) throws(MappingFailure) -> Value {
        guard let value = try change(to: type, nil, nil) else { throw .kept }
        return value
    }

    @usableFromInline
    func convert<Value: MappableValue>(to type: Value.Type) throws(MappingFailure) -> Value {
        if source.isMissing { throw source.failure(.missingValue, "a value") }
        return try converted(source.stepDetail)
    }

    /// Returns the new value of the property; `nil` if it stays as it is.
    ///
    /// Related objects are mapped in this frame, once for each level, so everything large is in frames
    /// of its own.
    private func change<Value: MappableValue>(
        to type: Value.Type, _ current: Value?, _ defaultValue: Value?
    ) throws(MappingFailure) -> Value? {
        if source.isMissing {
            return try changeForMissing(source.stepDetail, current, defaultValue)
        }
        let value: Value
        do throws(MappingFailure) {
            value = isPlain ? try Value.map(from: source) : try specialValue(current)
        } catch {
            reportConversion(hasValue: false)
            throw error
        }
        return try change(to: value, from: current)
    }

    /// A Boolean value that indicates whether the type of the property converts the value.
    private var isPlain: Bool {
        let index = source.stepIndex
        let plan = source.context.plan
        return plan.stepDetails[index].kind != .nestedProperties
            && plan.stepDetails[index].transform == nil
    }

    private func specialValue<Value: MappableValue>(
        _ current: Value?
    ) throws(MappingFailure) -> Value {
        let detail = source.stepDetail
        return detail.kind == .nestedProperties ? try filled(current) : try converted(detail)
    }

    private func reportConversion(hasValue: Bool) {
        guard source.context.plan.stepDetails[source.stepIndex].kind == .attribute else { return }
        EventReporter(source).report(hasValue ? .found : .notFound)
    }

    /// Merges a new value with the current one if the mapping declares a union, and validates it.
    private func change<Value: MappableValue>(
        to newValue: Value, from current: Value?
    ) throws(MappingFailure) -> Value? {
        reportConversion(hasValue: true)
        let detail = source.stepDetail
        var value = newValue
        if detail.assignment == .union, let current {
            if OptionalTypes.isNil(value) { return nil }
            value = MergeableTypes.merged(current, value) ?? value
        }
        let change = try validated(value, over: source.isFilled ? current : nil, detail)
        if detail.isReadByChildren { source.keepForChildren(change ?? current) }
        return change
    }

    /// Returns the change that the mapping declares for a missing value: a default, `nil` or none.
    private func changeForMissing<Value: MappableValue>(
        _ detail: StepDetail, _ current: Value?, _ defaultValue: Value?
    ) throws(MappingFailure) -> Value? {
        if detail.kind == .attribute, detail.missing != .keep {
            EventReporter(source).report(.notFound)
        }
        let value: Value?
        switch detail.missing {
        case .keep: value = nil
        case .assignDefault:
            value = detail.defaultValue as? Value ?? defaultValue ?? OptionalTypes.nilValue()
        case .assignNil: value = OptionalTypes.nilValue() ?? MergeableTypes.empty()
        }
        let change = try value.flatMap { value throws(MappingFailure) in
            try validated(value, over: source.isFilled ? current : nil, detail)
        }
        if detail.isReadByChildren { source.keepForChildren(change ?? current) }
        return change
    }

    /// Returns the value to assign; `nil` if the observer refuses it, if it is equal to the current one
    /// or if the validation rejects it.
    private func validated<Value>(
        _ value: Value, over current: Value?, _ detail: StepDetail
    ) throws(MappingFailure) -> Value? {
        let reporter = EventReporter(source)
        let isAllowed = reporter.shouldSet(value)
        if let current, !isAllowed || OptionalTypes.areEqual(current, value) {
            reporter.report(.unchanged(value))
            return nil
        }
        if !isAllowed {
            reporter.report(.unchanged(value))
            return nil
        }
        guard let allowed = try source.validated(value) else { return nil }
        reporter.report(.set(allowed))
        return allowed
    }

    private func converted<Value: MappableValue>(
        _ detail: StepDetail
    ) throws(MappingFailure) -> Value {
        guard let transform = detail.transform else { return try Value.map(from: source) }
        return try transform.value(from: source)
    }

    /// Fills some properties of the object that the property holds, or of a new one if it holds none.
    private func filled<Value>(_ current: Value?) throws(MappingFailure) -> Value {
        func filled<Nested: Mapped>(_ type: Nested.Type) throws(MappingFailure) -> Any {
            guard let nested = current.flatMap({ $0 as? Nested }) else {
                return try Nested.map(from: source)
            }
            // An instance that others may see is changed only when nothing can fail any more.
            guard Nested.self is AnyObject.Type else {
                return try Nested.map(from: source, editing: nested)
            }
            try Nested.prepare(from: source, editing: nested)
            return nested
        }
        guard let type = OptionalTypes.wrapped(Value.self) as? any Mapped.Type,
            let value = try filled(type) as? Value
        else { throw source.failure(.typeMismatch, "an object that can be filled") }
        return value
    }
}
