// SPDX-License-Identifier: Apache-2.0

import CCurl
import RestTransport

// The delivery of received data to the waiting task, on the driver thread after libcurl has run.

extension CurlTransfer {
    /// Delivers the data received since the last delivery to the waiting task.
    func deliverReceivedData() {
        isDeliveryScheduled = false
        guard let exchange, receiver.isHeaderComplete else { return }
        if isRefusedEarly {
            if receiver.isBodyComplete {
                deliver(to: exchange, mayPause: false, isComplete: true)
                isReusable = attempts.isSingle
                loop.remove(self)
                return
            }
            resumeSending()
        }
        if isCollecting { return }
        let mayPause = receiver.pendingByteCount >= bufferedByteCount
        deliver(to: exchange, mayPause: mayPause, isComplete: false)
        // Pauses here and not in the callback, where libcurl would have to buffer the bytes of the
        // call. A reader that takes the bytes meanwhile submits a command to resume, which follows.
        if mayPause, receiver.unreadByteCount >= bufferedByteCount, times.suspend() {
            applyPauses()
        }
    }

    /// A Boolean value that indicates whether the server rejected the request before it had read the
    /// whole body.
    ///
    /// libcurl then stops sending, unless the server closes the connection: it would send on and fail
    /// although the response has arrived.
    private var isRefusedEarly: Bool { times.isRefused && !sender.isComplete }

    /// Delivers the end of the exchange to the waiting task.
    func finish(_ result: CURLcode) {
        guard let exchange else { return }
        if result == CURLE_OK, receiver.isHeaderComplete,
            receiver.finishBody(isCut: connection.lacksCloseNotify)
        {
            deliver(to: exchange, mayPause: false, isComplete: true)
            isReusable = attempts.isSingle
            return
        }
        // The head is delivered even if the body is not valid.
        if receiver.isHeaderComplete, receiver.violation == nil {
            deliver(to: exchange, mayPause: false, isComplete: false)
        }
        if let failure = sender.failure {
            exchange.pipe.fail(
                TransportError.ofBody(failure, in: exchange.request), keepsBody: false)
            return
        }
        let error = TransportError(
            result, violation: receiver.violation, stage: times.stage, exchange: exchange,
            transfer: self)
        exchange.pipe.fail(error, keepsBody: true)
    }

    private func deliver(to exchange: CurlExchange, mayPause: Bool, isComplete: Bool) {
        let body = receiver.takeBody()
        if receiver.isHeaderDelivered {
            receiver.unreadByteCount = exchange.pipe.deliver(
                body: body, isPaused: mayPause, isComplete: isComplete)
        } else {
            receiver.unreadByteCount = exchange.pipe.deliver(
                head: .lines(receiver.takeHeader()), body: body, isPaused: mayPause,
                isComplete: isComplete)
        }
    }
}
