// SPDX-License-Identifier: Apache-2.0

#if canImport(Combine)
public import Combine

extension FetchedObjects {
    /// A publisher of the objects: the current ones, and those after each change of the list.
    ///
    /// ```swift
    /// airports.publisher.sink { print($0.count) }.store(in: &cancellables)
    /// ```
    ///
    /// Values arrive on the main actor, to which the objects belong. Changes of their properties are
    /// published by the objects themselves, which are observable.
    public var publisher: AnyPublisher<[Object], Never> {
        let subject = CurrentValueSubject<[Object], Never>([])
        let relay = ObservationRelay(of: { self.objects }, to: { subject.send($0) })
        // The subscriptions retain the relay, and the relay the collection.
        return subject.map { objects in withExtendedLifetime(relay) { objects } }
            .eraseToAnyPublisher()
    }
}

extension ObservedValues {
    /// A publisher of the values: the current ones, and those after each commit that changes them.
    ///
    /// ```swift
    /// store.values(Airport.Values.self, orderBy: \.name).publisher
    ///     .sink(receiveCompletion: { _ in }, receiveValue: { print($0.map(\.name)) })
    ///     .store(in: &cancellables)
    /// ```
    ///
    /// Values arrive on the main actor. The publisher completes when the store is closed, and fails
    /// with the errors of the sequence.
    @MainActor public var publisher: AnyPublisher<[Values], PersistenceError> {
        let subject = CurrentValueSubject<[Values]?, PersistenceError>(nil)
        let task = Task { @MainActor in
            do throws(PersistenceError) {
                var snapshots = makeAsyncIterator()
                while let snapshot = try await snapshots.next() { subject.send(snapshot.values) }
                subject.send(completion: .finished)
            } catch {
                subject.send(completion: .failure(error))
            }
        }
        let cancellable = AnyCancellable { task.cancel() }
        // The subscriptions retain the task, which is cancelled with the last one.
        return subject.compactMap { values in withExtendedLifetime(cancellable) { values } }
            .eraseToAnyPublisher()
    }
}
#endif
