// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A growable array of trivial values with manual memory management, for loops in which the checks
/// of `Array` would dominate.
///
/// Copies share one array, and its creator frees it.
///
/// Invariant: `state` points to one allocated state, whose `start` was allocated by `malloc` and
/// has space for `capacity` elements, of which the first `count` are initialized. Neither is used
/// after `free`.
@safe
@usableFromInline
struct UnmanagedArray<Element: BitwiseCopyable> {
    @safe
    @usableFromInline
    struct State {
        @usableFromInline var start: UnsafeMutablePointer<Element>
        @usableFromInline var count = 0
        @usableFromInline var capacity: Int
    }

    @usableFromInline let state: UnsafeMutablePointer<State>

    init(capacity: Int) {
        unsafe state = .allocate(capacity: 1)
        let memory = unsafe reallocated(nil as UnsafeMutablePointer<Element>?, capacity)
        unsafe state.initialize(to: State(start: memory, capacity: capacity))
    }

    /// Frees the memory.
    func free() {
        unsafe discard(state.pointee.start)
        unsafe state.deallocate()
    }

    /// Returns the elements, which the caller must free with `free`, and frees the rest.
    func takeElements() -> UnsafeMutablePointer<Element> {
        let start = unsafe state.pointee.start
        unsafe state.deallocate()
        return unsafe start
    }

    /// Swaps the elements of two arrays.
    func swap(with other: UnmanagedArray) {
        unsafe Swift.swap(&state.pointee, &other.state.pointee)
    }

    /// The number of elements.
    @inlinable @inline(__always)
    var count: Int { unsafe state.pointee.count }

    /// The address of the elements; valid until the array grows.
    @inlinable @inline(__always)
    var start: UnsafeMutablePointer<Element> { unsafe state.pointee.start }

    /// The elements; valid until the array grows.
    var elements: UnsafeBufferPointer<Element> {
        unsafe UnsafeBufferPointer(start: start, count: count)
    }

    /// The last element.
    @inline(__always)
    var last: Element? { count == 0 ? nil : self[count &- 1] }

    /// Accesses the element at an index, which must exist.
    subscript(index: Int) -> Element {
        @inline(__always) get {
            assert(index >= 0 && index < count)
            return unsafe state.pointee.start[index]
        }
        @inline(__always) nonmutating set {
            assert(index >= 0 && index < count)
            unsafe state.pointee.start[index] = newValue
        }
    }

    /// Reserves capacity for additional elements.
    @inlinable @inline(__always)
    func reserve(_ more: Int) {
        if unsafe state.pointee.capacity &- state.pointee.count < more { grow(more) }
    }

    @usableFromInline @inline(never)
    func grow(_ more: Int) {
        let capacity = max(unsafe state.pointee.capacity * 2, count + more + 16)
        unsafe state.pointee.start = reallocated(start, capacity)
        unsafe state.pointee.capacity = capacity
    }

    @inlinable @inline(__always)
    func append(_ element: Element) {
        reserve(1)
        unsafe (start + count).initialize(to: element)
        unsafe state.pointee.count &+= 1
    }

    /// Counts elements that were written after the last one, into reserved memory.
    @inlinable @inline(__always)
    func extend(by more: Int) { unsafe state.pointee.count &+= more }

    /// Removes elements so that at most the given number remains.
    @inline(__always)
    func truncate(to count: Int) { unsafe state.pointee.count = min(self.count, count) }
}

private func reallocated<Element>(
    _ start: UnsafeMutablePointer<Element>?, _ capacity: Int
) -> UnsafeMutablePointer<Element> {
    let size = capacity * MemoryLayout<Element>.stride
    guard let memory = unsafe realloc(UnsafeMutableRawPointer(start), size) else {
        preconditionFailure("out of memory for \(capacity) elements")
    }
    return unsafe memory.bindMemory(to: Element.self, capacity: capacity)
}

private func discard<Element>(_ memory: UnsafeMutablePointer<Element>) { unsafe free(memory) }
